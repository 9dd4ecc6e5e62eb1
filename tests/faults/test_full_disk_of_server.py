"""The server's disk is full for a while: calls say so, nothing is half done, and all goes on when there is room."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import psycopg
import pytest

from tests.faults.job_outcomes import assert_ended_once, await_all_done, records
from tests.faults.names import HOLD
from tests.faults.nodes import place_at
from tests.faults.process import Processes
from tests.places.place import ServerPlace
from tests.servers.account import server_account, server_folder
from tests.servers.postgres_node import postgres_node
from tests.servers.small_disk import fill_up, mounted
from windlass import Job, OutcomeUnknown, State, StoreUnavailable, Windlass

LARGE = Random(9).randbytes(10_000).hex()
"""A text that takes up as many pages as it is long, for it cannot be compressed."""
UNSERVED = "unserved"


@pytest.fixture
def disk() -> Iterator[Path]:
    """One that the server can use, with room for two files of its log."""
    account = server_account()
    with server_folder(account) as folder, mounted(folder / "disk", size="40m") as disk:
        account.own(disk)
        yield disk


@pytest.fixture
def place(disk: Path) -> Iterator[ServerPlace]:
    """Its tables lie on the disk; the server's own, and its log, lie elsewhere."""
    with postgres_node() as node:
        with psycopg.connect(node.url, autocommit=True) as connection:
            connection.execute(f"CREATE TABLESPACE small LOCATION '{disk}'".encode())
            connection.execute("ALTER DATABASE postgres SET default_tablespace = small")
        yield place_at(node)


def store_until_refused(app: Windlass, text: str) -> tuple[list[Job[Any]], StoreUnavailable]:
    """Jobs that nobody runs, three at a time: those that were acknowledged, and why the next ones were not."""
    stored: list[Job[Any]] = []
    while True:
        try:
            stored += app.enqueue_many([app.request("large", (text,), queue=UNSERVED) for _ in range(3)])
        except StoreUnavailable as error:
            return stored, error


def test_jobs_are_refused_and_workers_wait_until_there_is_room(app: Windlass, processes: Processes, disk: Path) -> None:
    """G9: all or none of an enqueue; runs that end meanwhile are written down later, by the worker that had them."""
    worker = processes.worker(concurrency=1)
    held = app.enqueue(HOLD)
    worker.await_line("began")
    waiting = records(app, 300)
    ballast = fill_up(disk)
    stored, refusal = store_until_refused(app, LARGE)
    assert "the server's disk is full" in str(refusal)
    processes.open_gate(held.id, 1)
    worker.await_line("log store unavailable, trying until it is back")
    assert app.counts(UNSERVED)[State.PENDING] == len(stored)
    ballast.unlink()
    worker.await_line("log the store is back")
    waiting += records(app, 1)
    await_all_done([held, *waiting])
    assert_ended_once(waiting, processes.folder)
    assert held.attempt == 1


def test_a_server_that_ends_because_its_log_has_no_room_loses_nothing(disk: Path) -> None:
    """G9: whoever was about to store something does not know whether it was stored, and may repeat it."""
    # Only the server ends here, not its machine.
    with postgres_node(settings={"fsync": "off"}) as node, Windlass(node.url) as app:
        node.stop()
        log = node.folder / "data" / "pg_wal"
        shutil.move(log, disk)
        log.symlink_to(disk / log.name)
        server_account().own(disk)
        node.start()
        app.migrate()
        ballast = fill_up(disk)
        stored, unknown = store_until_refused(app, LARGE * 10)
        assert isinstance(unknown, OutcomeUnknown)
        ballast.unlink()
        node.stop()
        node.start()
        stored += app.enqueue_many([app.request("large", (LARGE,), queue=UNSERVED, id=id) for id in unknown.ids])
        assert {job.refresh().state for job in stored} == {State.PENDING}
        assert app.counts()[State.PENDING] == len(stored)
