"""What one job sets in its context does not reach the next."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar

import pytest

from tests.waiting import PATIENCE
from windlass import ConfigError, Windlass, current_job

tenant: ContextVar[str] = ContextVar("tenant", default="nobody")


@pytest.mark.parametrize("kind", ["thread", "async"])
def test_a_job_does_not_see_what_another_has_set(app: Windlass, kind: str) -> None:
    """B6: jobs that follow one another on a thread, or are taken along by a coroutine, share no context."""
    seen: list[str] = []

    @app.task
    def plain(name: str) -> None:
        seen.append(tenant.get())
        tenant.set(name)

    @app.task
    async def coroutine(name: str) -> None:
        plain(name)

    (plain if kind == "thread" else coroutine).enqueue_many([(f"tenant {number}",) for number in range(100)])
    app.worker(concurrency=1).run_until_empty()
    assert seen == ["nobody"] * 100


def test_a_job_does_not_see_what_whoever_started_the_worker_has_set(app: Windlass) -> None:
    @app.task
    def look() -> str:
        return tenant.get()

    token = tenant.set("the main thread")
    try:
        with app.worker():
            assert look.enqueue().result(timeout=PATIENCE) == "nobody"
    finally:
        tenant.reset(token)


def test_the_current_job_is_known_in_threads_and_tasks_that_a_job_starts(app: Windlass) -> None:
    @app.task
    async def spread() -> list[str]:
        def id() -> str:
            return current_job().id

        async def child() -> str:
            return id()

        return [id(), await asyncio.create_task(child()), await asyncio.to_thread(id)]

    with app.worker():
        job = spread.enqueue()
        assert job.result(timeout=PATIENCE) == [job.id] * 3
    with pytest.raises(ConfigError):
        current_job()
