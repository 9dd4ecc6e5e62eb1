"""A floor of speed. How many jobs a second that is, ``make bench`` measures (drain-async, drain-threads, drain-two,
enqueue-one, enqueue-bulk, pick-up-idle, rest); here is what makes it possible: few calls for many jobs.
"""

from __future__ import annotations

import pytest

from tests.worker.call_interceptor import CallInterceptor, intercept
from windlass import State, Windlass

JOBS = 1_000


@pytest.fixture
def interceptor(app: Windlass) -> CallInterceptor:
    """What lies between the app and its store."""
    return intercept(app)


@pytest.fixture(params=["async", "thread"])
def _task(request: pytest.FixtureRequest, app: Windlass) -> None:
    if request.param == "async":

        @app.task(name="echo")
        async def echo(number: int) -> int:
            return number

    else:

        @app.task(name="echo")
        def echo(number: int) -> int:
            return number


@pytest.mark.usefixtures("_task")
def test_a_bulk_is_one_round_trip(app: Windlass, interceptor: CallInterceptor) -> None:
    """B28: as for one job, so for a thousand; into a new queue, one that is known, and one with a limit."""
    for _ in range(2):
        interceptor.calls.clear()
        app.tasks[0].enqueue_many([(number,) for number in range(JOBS)])
        assert interceptor.calls.total() == 1
    app.queue("default").configure(max_length=10 * JOBS)
    app.tasks[0].enqueue(0)  # learns of the limit
    interceptor.calls.clear()
    app.tasks[0].enqueue_many([(number,) for number in range(JOBS)])
    assert interceptor.calls.total() == 1


@pytest.mark.usefixtures("_task")
def test_a_worker_needs_few_calls_for_many_jobs(app: Windlass, interceptor: CallInterceptor) -> None:
    """B28: what has ended goes out and what is next comes in together, many at a time."""
    app.tasks[0].enqueue_many([(number,) for number in range(JOBS)])
    interceptor.calls.clear()
    app.worker(concurrency=50).run_until_empty()
    assert app.counts()[State.COMPLETED] == JOBS
    assert interceptor.calls["cycle"] < JOBS / 5
    assert interceptor.calls.total() < JOBS / 4


def test_a_worker_at_rest_asks_for_little(app: Windlass, interceptor: CallInterceptor) -> None:
    """B28: what it asks for does not depend on how many jobs wait for a later day."""
    app.enqueue_many([app.request("later", delay="1d")] * 100)
    with app.worker(["default"]) as worker:
        interceptor.calls.clear()
        assert worker.status().running == 0
        app.counts()
    assert interceptor.calls.total() < 50
