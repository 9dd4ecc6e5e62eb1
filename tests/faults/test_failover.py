"""A standby of PostgreSQL: of no use while it is one, and taken for the store when it has taken over."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from tests.faults.job_outcomes import assert_ended_once, await_all_done, records
from tests.faults.names import HOLD
from tests.faults.process import Processes
from tests.ledger.apps import Apps
from tests.places.place import ServerPlace, wipe_postgres
from tests.servers.account import server_account
from tests.servers.postgres_node import PostgresNode, postgres_node
from tests.waiting import eventually
from windlass import State, StoreUnavailable


@contextmanager
def standby_of(primary: PostgresNode) -> Iterator[PostgresNode]:
    """A server that has everything that the primary acknowledges."""
    source = f"host=127.0.0.1 port={primary.port} user=postgres"
    with postgres_node(settings={"primary_conninfo": source}) as standby:
        for node in (primary, standby):
            node.stop()
        data = standby.folder / "data"
        shutil.rmtree(data)
        shutil.copytree(primary.folder / "data", data)
        (data / "standby.signal").touch()
        server_account().own(data)
        for node in (primary, standby):
            node.start()
        run(primary, "ALTER SYSTEM SET synchronous_standby_names = '*'")
        run(primary, "SELECT pg_reload_conf()")
        follows = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"
        eventually(lambda: run(primary, follows), "the primary waits for the standby with every commit")
        yield standby


def run(node: PostgresNode, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(node.url, autocommit=True) as connection:
        cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def at(*nodes: PostgresNode) -> ServerPlace:
    """Where an application finds its jobs that knows all these servers."""
    hosts = ",".join(urlsplit(node.url).netloc.rpartition("@")[2] for node in nodes)
    url = f"postgresql://postgres@{hosts}/postgres?target_session_attrs=read-write"
    return ServerPlace(url, "windlass", wipe_postgres)


def test_a_standby_is_refused_and_found_when_it_has_taken_over(tmp_path: Path) -> None:
    """G1, G8: jobs that run go on, and all that was acknowledged is there."""
    with postgres_node() as primary, standby_of(primary) as standby:
        place = at(primary, standby)
        with Apps(place) as apps, closing(Processes(place, tmp_path)) as processes:
            app = apps()
            worker = processes.worker(concurrency=1)
            held = app.enqueue(HOLD)
            worker.await_line("began")
            eventually(lambda: held.refresh().started_at is not None, "the run is marked as started")
            waiting = records(app, 20)
            with Apps(ServerPlace(standby.url, "windlass", wipe_postgres), store_deadline=1) as others:
                mistaken = others()
                eventually(lambda: mistaken.counts()[State.PENDING] == 20, "what was acknowledged can be read there")
                with pytest.raises(StoreUnavailable, match="takes no writes; is it a standby"):
                    mistaken.enqueue(HOLD)
            primary.kill()
            run(standby, "SELECT pg_promote()")
            processes.open_gate(held.id, 1)
            await_all_done([held, *waiting, *records(app, 5)])
            assert_ended_once(waiting, processes.folder)
            assert held.attempt == 1
