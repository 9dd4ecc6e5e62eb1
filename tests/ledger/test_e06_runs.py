"""At least one run, at most one recorded end, and a cause for every run beyond the first."""

from __future__ import annotations

import pytest

from tests.ledger.apps import LONG_LEASE, Apps, await_first_beat, gate, work
from tests.waiting import eventually
from windlass import LeaseLost, RetryableError, State, Windlass, current_job
from windlass.testing import ManualClock


def test_a_job_ends_once(app: Windlass, new_app: Apps, clock: ManualClock) -> None:
    """E6: two runs, one recorded completion; the second one stands."""
    app.enqueue_many([app.request("anything")])
    [first] = app.claim(queues=["default"], lease="1m")
    clock.advance("2m")
    [second] = app.claim(queues=["default"], lease="1m")
    second.complete("second")
    with pytest.raises(LeaseLost):
        first.complete("first")
    job = second.job
    assert job.result() == "second"
    assert [entry.kind for entry in job.timeline()].count("completed") == 1


def test_the_task_sees_fence_and_attempt(app: Windlass, clock: ManualClock) -> None:
    """E6: both grow, so that it can guard its own writes."""
    seen: list[tuple[int, int]] = []

    @app.task
    def twice() -> None:
        job = current_job()
        seen.append((job.fence, job.attempt))
        if job.attempt == 1:
            raise RetryableError("once more", delay="1m")

    twice.enqueue()
    work(app)
    clock.advance("1m")
    work(app)
    (first_fence, first), (second_fence, second) = seen
    assert second_fence > first_fence
    assert (first, second) == (1, 2)


@pytest.mark.parametrize("cause", ["retry", "by hand", "lease lost", "crash"])
def test_every_run_beyond_the_first_has_a_recorded_cause(
    app: Windlass, new_app: Apps, clock: ManualClock, cause: str
) -> None:
    """E6: the timeline tells why it ran again."""
    with gate() as stalled:
        runs: list[int] = []

        @app.task(name="note")
        def note() -> None:
            runs.append(1)
            if len(runs) == 1:
                first_run()

        def first_run() -> None:
            if cause == "retry":
                raise RetryableError("once more", delay=0)
            if cause == "by hand":
                raise AssertionError
            if cause == "crash":
                stalled.wait()

        job = note.options(attempts=1 if cause == "by hand" else 3).enqueue()
        if cause == "lease lost":
            runs.append(1)
            app.claim(lease="1m")
            clock.advance("1m")
            app.rescue()
            work(app)
        elif cause == "crash":
            with app.worker(lease="30s", duties=False):
                eventually(lambda: job.refresh().started_at and job.state == "running", "the start is marked")
                await_first_beat(app)
                clock.advance("31s")
                app.rescue()
                successor = new_app()
                successor.task(name="note")(note.function)
                work(successor, lease=LONG_LEASE)
                stalled.open()
        else:
            work(app)
            if cause == "by hand":
                job.retry()
            work(app)
        assert len(runs) == 2
        assert job.refresh().state is State.COMPLETED
        told = {"retry": "attempt_failed", "by hand": "retried", "lease lost": "rescued", "crash": "rescued"}[cause]
        assert told in [entry.kind for entry in job.timeline()]
