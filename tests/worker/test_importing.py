"""Modules that are imported because a job names a function in them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

from tests.ledger.apps import Apps
from tests.waiting import PATIENCE, eventually
from windlass import Request, State, Windlass

pytestmark = pytest.mark.only_on("sqlite")  # about executors; the ledger has the same promises on every store

SLOW = "tests.worker.importing.slow"


@pytest.fixture
def door() -> Iterator[ModuleType]:
    """What the slow module waits for; it is opened at the latest when the test ends."""
    for name in (SLOW, "tests.worker.importing.door"):
        sys.modules.pop(name, None)
    fresh = import_module("tests.worker.importing.door")
    yield fresh
    fresh.opened.set()


@pytest.fixture
def app(new_app: Apps) -> Windlass:
    return new_app(importable=["tests.worker.importing"])


def enqueue(app: Windlass, name: str, number: int, **options: Any) -> str:
    """As a caller does who has not imported it; the job's id."""
    [job] = app.enqueue_many([Request(f"{SLOW}:{name}", (number,), {}).but(**options)])
    return job.id


def test_a_slow_import_holds_up_its_own_jobs_alone(app: Windlass, door: ModuleType) -> None:
    """A1: it happens on the thread of a run, one is enough for all that wait for it, and the worker goes on."""

    @app.task
    def quick(number: int) -> int:
        return number

    with app.worker(["default"], concurrency=2):
        slow = [enqueue(app, name, number) for number in range(1, 4) for name in ("work", "coroutine")]
        assert door.reached.wait(PATIENCE)
        assert [quick.enqueue(number).result(timeout=PATIENCE) for number in range(5)] == list(range(5))
        eventually(lambda: app.job(slow[-1]).state is State.SCHEDULED, "others of the module wait elsewhere")
        door.opened.set()
        assert [app.job(id).result(timeout=PATIENCE) for id in slow] == [1, -1, 2, -2, 3, -3]
    assert [thread.startswith("windlass-run") for thread in door.threads] == [True]
    assert {app.job(id).attempt for id in slow} == {1}


def test_an_import_may_take_no_longer_than_its_job(app: Windlass, door: ModuleType) -> None:
    """B5: nothing can be raised in an import; a run that hangs in one is abandoned, and its job fails."""

    @app.task
    def quick(number: int) -> int:
        return number

    with app.worker(["default"], concurrency=1, stop_patience=0.05, grace=0):
        id = enqueue(app, "work", 1, timeout=1, attempts=1)
        eventually(lambda: app.job(id).state is State.FAILED, "its time is over")
        assert (app.job(id).reason, app.job(id).errors[-1].type) == ("timeout", "TimeoutError")
        assert quick.enqueue(1).result(timeout=PATIENCE) == 1, "on another thread"
        door.opened.set()


def test_a_class_is_never_made_from_a_stored_name(app: Windlass, door: ModuleType) -> None:
    """A1: only functions."""
    door.opened.set()
    id = enqueue(app, "Tool", 42)
    app.worker(["default"]).run_until_empty()
    assert (app.job(id).state, app.job(id).reason, app.job(id).attempt) == (State.SCHEDULED, "unknown_task", 0)
    assert door.made == []
