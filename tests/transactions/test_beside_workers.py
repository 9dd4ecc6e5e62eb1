"""Workers beside a transaction that a caller leaves open."""

from __future__ import annotations

import logging
from threading import Event
from typing import Any

import pytest

from tests.transactions.callers.caller import Caller
from tests.transactions.shop import Scene
from tests.waiting import PATIENCE, eventually
from windlass import State, Unique, Windlass
from windlass.task import Task


def once_at_a_time(app: Windlass, is_over: Event) -> Task[..., Any]:
    """A task of which one job waits at the most, and whose runs end when the test says so."""

    @app.task(unique=Unique(until="started"))
    def sync(user: int) -> None:
        is_over.wait(PATIENCE)

    return sync


@pytest.mark.parametrize("is_kept", [True, False], ids=["commit", "rollback"])
def test_a_worker_goes_on_beside_a_transaction_that_took_its_job_s_key(
    scene: Scene, caller: Caller, is_kept: bool
) -> None:
    is_over = Event()
    sync = once_at_a_time(scene.app, is_over)
    with scene.app.worker(concurrency=2):
        first = sync.enqueue(1)
        eventually(lambda: first.refresh().started_at, "the first job runs")
        second = caller.enqueue(scene.app, sync, 1)
        assert not second.duplicate
        is_over.set()
        first.result(timeout=PATIENCE)
        assert scene.receipt.enqueue(7).result(timeout=PATIENCE) == "receipt 7"
        if is_kept:
            caller.commit()
            second.result(timeout=PATIENCE)
        else:
            caller.rollback()
        third = sync.enqueue(1)
        assert not third.duplicate
        third.result(timeout=PATIENCE)


@pytest.mark.parametrize("is_kept", [True, False], ids=["commit", "rollback"])
def test_a_worker_goes_on_beside_a_transaction_that_replaces_a_job(scene: Scene, caller: Caller, is_kept: bool) -> None:
    @scene.app.task(unique=Unique(by=("user",), until="started", on_conflict="replace"))
    def sync(user: int, version: str) -> str:
        return version

    first = sync.enqueue(1, "old")
    second = caller.enqueue(scene.app, sync, 1, "new")
    assert (second.id, second.replaced) == (first.id, True)
    with scene.app.worker(concurrency=2):
        assert scene.receipt.enqueue(7).result(timeout=PATIENCE) == "receipt 7"
        assert first.refresh().state is State.PENDING
        if is_kept:
            caller.commit()
        else:
            caller.rollback()
        assert first.result(timeout=PATIENCE) == ("new" if is_kept else "old")


def test_a_worker_starts_beside_the_transaction_that_uses_its_queue_first(scene: Scene, caller: Caller) -> None:
    job = caller.enqueue(scene.app, scene.receipt.options(queue="new"), 7)
    with scene.app.worker(queues=["new", "default"]):
        assert scene.receipt.enqueue(8).result(timeout=PATIENCE) == "receipt 8"
        caller.commit()
        assert job.result(timeout=PATIENCE) == "receipt 7"


class TestOnSqlite:
    """A file has one writer at a time, so that everybody waits for the caller, and goes on after it."""

    @pytest.fixture
    def kind_name(self) -> str:
        return "sqlite3"

    def test_nothing_is_lost_while_a_transaction_outlives_a_lease(
        self, scene: Scene, caller: Caller, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.ERROR, logger="windlass.worker")
        is_over, runs = Event(), list[int]()

        @scene.app.task
        def count(number: int) -> int:
            runs.append(number)
            is_over.wait(PATIENCE)
            return number

        with scene.app.worker(concurrency=2, lease="2s"):
            first = count.enqueue(1)
            eventually(lambda: first.refresh().state is State.RUNNING and runs, "the first job runs")
            joined = caller.enqueue(scene.app, scene.receipt, 7)
            eventually(lambda: "lease lost" in caplog.text, "the worker could not renew its lease")
            is_over.set()
            caller.commit()
            assert joined.result(timeout=PATIENCE) == "receipt 7"
            assert first.result(timeout=PATIENCE) == 1
            assert count.enqueue(2).result(timeout=PATIENCE) == 2
