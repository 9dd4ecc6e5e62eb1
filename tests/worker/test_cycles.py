"""The fused cycle: many jobs share a commit, a lone one waits for nobody."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.waiting import PATIENCE
from tests.worker.call_interceptor import CallInterceptor
from windlass import State, Windlass
from windlass.store.operation import Call
from windlass.task import Task


def a_task(app: Windlass, kind: str) -> Task[..., None]:
    if kind == "thread":

        @app.task
        def plain(number: int) -> None:
            pass

        return plain

    @app.task
    async def coroutine(number: int) -> None:
        pass

    return coroutine


@pytest.mark.parametrize("kind", ["thread", "async"])
def test_a_thousand_jobs_need_few_cycles(app: Windlass, interceptor: CallInterceptor, kind: str) -> None:
    """Group commit: while one cycle is on its way, the next batch gathers."""
    a_task(app, kind).enqueue_many([(number,) for number in range(1_000)])
    app.worker().run_until_empty()
    assert app.counts()[State.COMPLETED] == 1_000
    assert interceptor.calls["cycle"] <= 60


def test_what_ended_and_what_is_next_travel_together(app: Windlass, interceptor: CallInterceptor) -> None:
    """One call hands endings in and takes new jobs."""
    fused: list[tuple[int, int]] = []

    def look(call: Call) -> None:
        if call.name == "cycle":
            endings: Sequence[object] = call.params.get("endings", ())
            returned: Sequence[object] = call.params.get("completed", ())
            fused.append((len(endings) + len(returned), len(call.params["requests"])))

    interceptor.before.append(look)
    a_task(app, "async").enqueue_many([(number,) for number in range(500)])
    app.worker().run_until_empty()
    assert any(ended >= 100 and requests for ended, requests in fused), fused


def test_a_worker_at_rest_asks_the_store_once_a_second(app: Windlass, interceptor: CallInterceptor) -> None:
    task = a_task(app, "thread")
    with app.worker() as worker:
        task.enqueue(1).result(timeout=PATIENCE)
        before = interceptor.calls["cycle"]
        worker.pause()
        worker.resume()
        assert interceptor.calls["cycle"] - before <= 4


def test_a_short_job_costs_no_mark(app: Windlass, interceptor: CallInterceptor) -> None:
    """The happy path writes nothing extra."""
    marks: list[object] = []
    interceptor.before.append(lambda call: marks.extend(call.params.get("marks", ())))
    a_task(app, "async").enqueue_many([(number,) for number in range(100)])
    app.worker().run_until_empty()
    assert marks == []
