"""Every public method that asks the store has an async twin: its name with an ``a``, with the same parameters."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterator
from threading import get_ident
from typing import Any

import pytest

from tests.slow_shutdown import unhurried
from tests.waiting import PATIENCE
from windlass import (
    ActiveJob,
    ArchivedJobs,
    ClaimedJob,
    Concurrency,
    ConfigError,
    Helper,
    IllegalTransition,
    Job,
    Limit,
    Queue,
    Schedule,
    State,
    Task,
    TaskRate,
    Windlass,
    Worker,
)

PURE: dict[type, set[str]] = {
    ActiveJob: {"checkpoint", "extend", "guard", "limit"},
    ArchivedJobs: {"at"},
    ClaimedJob: {"guard"},
    Concurrency: set(),
    Helper: {"close", "task"},
    Job: {"of", "stored"},
    Limit: set(),
    Queue: set(),
    Schedule: {"preview"},
    Task: {"delay", "options", "request"},
    TaskRate: set(),
    Windlass: {
        "around_enqueue", "around_run", "command", "concurrency", "configure", "cron", "every", "helper", "lease",
        "limit", "queue", "request", "run_worker", "task", "task_rate", "transaction", "worker",
    },
    Worker: {"drain", "resume", "status"},
}  # fmt: skip
"""Methods without a twin: they touch no store, or, as ``run_worker``, are a program of their own."""

TWINS = {"wait": "await_done", "wait_for": "await_for"}
"""Twins whose name would be a word of Python's own."""


def _methods(owner: type) -> Iterator[tuple[str, Any]]:
    for name in dir(owner):
        found = inspect.getattr_static(owner, name)
        if not name.startswith("_") and (inspect.isfunction(found) or isinstance(found, classmethod | staticmethod)):
            yield name, getattr(owner, name)


@pytest.mark.parametrize("owner", PURE, ids=lambda owner: owner.__name__)
def test_whatever_asks_the_store_has_an_async_twin(owner: type) -> None:
    methods = dict(_methods(owner))
    twins = {TWINS.get(name, f"a{name}") for name in methods} & methods.keys()
    missing = {
        name
        for name, method in methods.items()
        if name not in twins | PURE[owner] and not inspect.iscoroutinefunction(method)
        and TWINS.get(name, f"a{name}") not in methods
    }  # fmt: skip
    assert missing == set()
    assert methods.keys() >= PURE[owner], "a name in the list of exceptions is gone"


@pytest.mark.parametrize("owner", PURE, ids=lambda owner: owner.__name__)
def test_a_twin_takes_the_same_and_is_a_coroutine(owner: type) -> None:
    methods = dict(_methods(owner))
    for name, method in methods.items():
        twin = methods.get(TWINS.get(name, f"a{name}"))
        if twin is None:
            continue
        assert inspect.iscoroutinefunction(twin), name
        assert inspect.signature(twin).parameters.keys() == inspect.signature(method).parameters.keys(), name


@pytest.mark.asyncio
async def test_apps_and_workers_are_used_with_async_with() -> None:
    """The loop goes on while a worker starts, drains and stops."""
    async with unhurried(Windlass("sqlite:///:memory:")) as app:

        @app.task(name="where")
        async def where() -> int:
            return get_ident()

        async with app.worker() as worker:
            job = await where.aenqueue()
            assert await job.aresult(timeout=PATIENCE) != get_ident()
            await worker.apause()
            worker.resume()
        assert worker.is_stopped
        await where.aenqueue()
        assert await app.worker().arun_until_empty() == 1
    with pytest.raises(Exception, match="the app is closed"):
        await app.acounts()


@pytest.mark.asyncio
async def test_what_an_operator_does_in_async_code() -> None:
    async with unhurried(Windlass("sqlite:///:memory:")) as app:
        await app.aenqueue("noop")
        mail = app.queue("default")
        assert (await mail.alength(), await mail.alength_of_all()) == (1, 1)
        await app.apause("deploy")
        assert (await app.aoverview()).everywhere.paused
        await app.aresume()
        with pytest.raises(IllegalTransition):
            await mail.adelete()
        assert await app.acancel_all(state="pending") == 1
        assert (await app.acounts())[State.CANCELLED] == 1
        await app.aenqueue("noop")
        assert await mail.apurge() == 1
        await mail.adelete()
        assert await app.aqueues() == []
        assert (await app.adead_groups(), await app.acleanings(), await app.amigrate()) == ([], [], [])
        assert (await app.amigration_sql(), await app.apause_worker("w"), await app.aresume_worker("w")) == ("", 0, 0)
        assert (await app.astop_worker("w"), await app.aforget_worker("w"), await app.aforget_lost_workers()) == (
            0,
            0,
            0,
        )


@pytest.mark.asyncio
async def test_a_look_at_fields_does_not_stop_the_loop_in_silence() -> None:
    """A handle that was just enqueued knows only its id and state; the rest is read from the store."""
    async with unhurried(Windlass("sqlite:///:memory:")) as app:
        job = await app.aenqueue("noop")
        assert (job.state, job.done) == (State.PENDING, False)
        with pytest.raises(ConfigError, match=r"would block the running event loop; use `await job\.arefresh\(\)`"):
            _ = job.task
        with pytest.raises(ConfigError, match=r"use `await queue\.alength\(\)`"):
            _ = app.queue("default").length
        assert (await job.arefresh()).task == "noop"
        assert await asyncio.to_thread(lambda: app.queue("default").length) == 1
