"""Start marks: the store learns of a run that goes on, and of a last attempt before it begins."""

from __future__ import annotations

from threading import Event
from time import monotonic

from tests.ledger.apps import gate, raises
from tests.ledger.manual_claims import put_back, stolen
from tests.leeway import leeway
from tests.waiting import PATIENCE, eventually
from tests.worker.call_interceptor import CallInterceptor, Hold
from tests.worker.prefetched_task import all_are, enqueue_behind, learned, teach
from windlass import State, Windlass, current_job
from windlass.store.operation import Answer, Call

SOON = 0.5
"""Seconds; marks go out within 0.1 on a machine at rest, and after 1 where only the poll brings them."""


def has_marks(call: Call, answer: Answer) -> bool:
    return call.name == "cycle" and bool(call.params["marks"])


def test_a_job_that_still_runs_is_marked_as_started(app: Windlass) -> None:
    """A9: a started run that crashes can be told from one that had not started."""
    with gate() as running:

        @app.task
        def wait() -> float:
            began = monotonic()
            running.wait()
            return began

        with app.worker():
            job = wait.enqueue()
            running.await_entered()
            eventually(lambda: job.refresh().started_at is not None, "the mark is written")
            marked = monotonic()
            assert job.state == State.RUNNING
            running.open()
            assert marked - job.result(timeout=PATIENCE) < leeway(SOON)


def test_a_coroutine_that_still_runs_is_marked_as_started(app: Windlass) -> None:
    with gate() as running:

        @app.task
        async def block() -> None:
            running.wait()

        with app.worker():
            job = block.enqueue()
            eventually(lambda: job.refresh().started_at is not None, "the mark is written")
            running.open()


def test_a_coroutine_that_waits_for_a_blocked_loop_is_not_marked(app: Windlass, interceptor: CallInterceptor) -> None:
    """A9: neighbours that had not started are charged nothing."""
    with gate() as hog:
        began = Event()

        @app.task
        async def block() -> None:
            hog.wait()

        @app.task
        async def neighbour() -> None:
            began.set()

        with app.worker():
            first = block.enqueue()
            hog.await_entered()
            waiting = neighbour.enqueue()
            eventually(lambda: first.refresh().started_at is not None, "the first is marked")
            eventually(lambda: waiting.refresh().state == State.RUNNING, "the second is claimed")
            assert waiting.started_at is None
            hog.open()
            assert began.wait(PATIENCE)


def test_a_run_behind_a_long_one_is_marked_in_time_while_more_wait(app: Windlass, interceptor: CallInterceptor) -> None:
    """The pump looks again although the buffer is far from low; so the first one's ending does not lie about either."""
    with gate() as first, gate() as second:
        task = learned(app, {"first": first, "second": second})
        with app.worker(concurrency=1) as worker:
            teach(worker, task)
            jobs = enqueue_behind(app, task, ["first", "second", *(f"{number}" for number in range(30))])
            eventually(lambda: jobs[0].refresh().started_at is not None, "the first is marked")
            first.open()
            second.await_entered()
            began = monotonic()
            eventually(lambda: jobs[1].refresh().started_at is not None, "the second is marked")
            assert monotonic() - began < leeway(SOON)
            assert jobs[0].refresh().state == State.COMPLETED
            second.open()
            eventually(all_are(jobs, State.COMPLETED), "all have run")


def test_a_last_attempt_is_marked_before_it_begins(app: Windlass) -> None:
    """A10: attempts=1 means at most one run, so the store knows of it first."""

    @app.task
    def look() -> bool:
        return app.job(current_job().id).started_at is not None

    with app.worker():
        assert look.options(attempts=1).enqueue().result(timeout=PATIENCE)


def test_a_retry_that_is_the_last_is_marked_before_it_begins(app: Windlass) -> None:
    @app.task
    def look() -> bool:
        job = current_job()
        if job.attempt == 1:
            raise ValueError("again")
        return app.job(job.id).started_at is not None

    job = look.options(attempts=2).enqueue()
    app.worker().run_until_empty()
    job.retry()
    job = look.options(attempts=2).enqueue()
    app.worker().run_until_empty()
    job.reschedule(0)
    app.worker().run_until_empty()
    assert job.result(timeout=PATIENCE)


def test_a_last_attempt_whose_mark_is_refused_does_not_begin(app: Windlass, interceptor: CallInterceptor) -> None:
    """A10, E2: another has the job by then; to start would be a second run."""
    hold = Hold(has_marks)
    interceptor.before.append(hold.before)
    fences: list[int] = []

    @app.task
    def note() -> None:
        fences.append(current_job().fence)

    with app.worker():
        job = note.options(attempts=1).enqueue()
        hold.await_reached()
        put_back(stolen(app, job))
        hold.release()
        job.result(timeout=PATIENCE)
    assert list(map(raises, fences)) == [3]
