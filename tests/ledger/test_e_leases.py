"""The lease specification, as far as one process can show it; real processes race in tests/faults."""

from __future__ import annotations

from collections import Counter
from threading import Barrier, Thread
from typing import Any

import pytest

from tests.ledger.apps import LONG_LEASE, PATIENCE, Apps, eventually, gate, work
from tests.ledger.behind import Behind
from windlass import LeaseLost, RetryableError, State, Windlass, current_job
from windlass.testing import ManualClock


def at_once(*actions: Any) -> None:
    """Run all actions at the same moment, each in a thread of its own."""
    together = Barrier(len(actions))

    def run(action: Any) -> None:
        together.wait(PATIENCE)
        action()

    threads = [Thread(target=run, args=(action,)) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_two_workers_never_claim_the_same_job(app: Windlass, new_app: Apps) -> None:
    """E1: three workers race for 500 jobs; each (job, fence) runs once."""
    runs: list[tuple[str, int]] = []

    def note() -> None:
        runs.append((current_job().id, current_job().fence))

    apps = [app, new_app(), new_app()]
    for one in apps:
        one.task(name="note")(note)
    jobs = app.enqueue_many([app.request("note")] * 500)
    at_once(*(lambda one=one: work(one, concurrency=2) for one in apps))
    assert Counter(id for id, _ in runs) == Counter(job.id for job in jobs)
    assert {fence for _, fence in runs} == {1}


def test_two_claims_by_hand_never_take_the_same_job(app: Windlass, new_app: Apps) -> None:
    """E1, E5: a claim is one transaction: whatever the threads, a job is handed out once."""
    app.enqueue_many([app.request("anything")] * 300)
    taken: list[str] = []

    def claim(one: Windlass) -> None:
        while claimed := one.claim(7, queues=["default"]):
            taken.extend(job.id for job in claimed)

    apps = [app, new_app(), app, new_app()]
    at_once(*(lambda one=one: claim(one) for one in apps))
    assert len(taken) == len(set(taken)) == 300


def test_a_claim_takes_all_it_says_or_nothing(app: Windlass) -> None:
    """E5: what claim() returned is running, what it did not return is not."""
    app.enqueue_many([app.request("anything")] * 5)
    claimed = app.claim(3, queues=["default"])
    running = app.jobs(state="running")
    assert {job.id for job in running} == {job.id for job in claimed}
    assert app.counts()[State.PENDING] == 2


def test_finishing_needs_the_running_state(app: Windlass) -> None:
    """E2: with the right id and fence, but after the end, nothing is written."""
    app.enqueue_many([app.request("anything")])
    [claimed] = app.claim(queues=["default"])
    claimed.complete("first")
    before = claimed.job.record
    with pytest.raises(Exception, match="completed already"):
        app.lease(claimed.id, claimed.fence).complete("second")
    assert claimed.job.record == before


def test_a_worker_that_lost_one_job_learns_which(app: Windlass, behind: Behind) -> None:
    """E2: within one heartbeat; that run is told to stop and its ending dropped, the others go on."""
    with gate() as lost, gate() as kept:
        told: list[str] = []

        @app.task
        def loses() -> str:
            job = current_job()
            lost.entered.set()
            eventually(lambda: job.cancelled, "the run is told that it is lost")
            told.append("told")
            return "zombie"

        @app.task
        def keeps() -> str:
            kept.wait()
            return "done"

        losing, keeping = loses.enqueue(), keeps.enqueue()
        with app.worker(lease="5s", heartbeat="20ms", duties=False) as worker:
            lost.await_entered()
            kept.await_entered()
            behind.damage(losing, fence=losing.refresh().fence + 1)  # as if somebody had taken it away
            eventually(lambda: worker.status().refused == 1, "its ending is refused")
            kept.open()
            assert keeping.result(timeout=PATIENCE) == "done"
        assert told == ["told"]
        losing.refresh()
        assert (losing.state, losing.record.result) == (State.RUNNING, None)
        assert "refused" in [entry.kind for entry in losing.timeline()]


def test_an_expired_claim_may_still_end_its_job(app: Windlass, clock: ManualClock) -> None:
    """E3: until somebody rescues it; work is not thrown away."""
    app.enqueue_many([app.request("anything")])
    [claimed] = app.claim(queues=["default"], lease="1m")
    clock.advance("1h")
    claimed.complete("late but fine")
    assert claimed.job.result() == "late but fine"
    assert app.rescue() == []


def test_an_expired_claim_may_still_be_extended(app: Windlass, clock: ManualClock) -> None:
    """E3: time makes it rescuable; only a rescue ends it."""
    app.enqueue_many([app.request("anything")])
    [claimed] = app.claim(queues=["default"], lease="1m")
    clock.advance("1h")
    claimed.extend("1m")
    assert app.rescue() == []
    claimed.complete()


def test_after_the_rescue_it_may_not(app: Windlass, clock: ManualClock) -> None:
    """E3: the owner's ending is refused, even before anybody has claimed the job again."""
    app.enqueue_many([app.request("anything")])
    [claimed] = app.claim(queues=["default"], lease="1m")
    clock.advance("1m")
    app.rescue()
    with pytest.raises(LeaseLost):
        claimed.complete()
    assert claimed.job.state is State.PENDING


def test_an_expired_worker_may_still_end_its_job(app: Windlass, clock: ManualClock) -> None:
    """E3: a worker that was late with its heartbeat, and was not rescued, loses nothing."""
    with gate() as busy:

        @app.task
        def slow() -> str:
            busy.wait()
            return "late but fine"

        job = slow.enqueue()
        with app.worker(lease="30s", duties=False):
            busy.await_entered()
            clock.advance("1h")
            busy.open()
            assert job.result(timeout=PATIENCE) == "late but fine"
        assert job.refresh().attempt == 1


def test_rescue_is_idempotent_and_safe_when_many_run_it(app: Windlass, new_app: Apps, clock: ManualClock) -> None:
    """E3: each job is rescued, and charged, once."""
    jobs = app.enqueue_many([app.request("anything")] * 50)
    assert len(app.claim(50, queues=["default"], lease="1m")) == 50
    clock.advance("1m")
    rescued: list[str] = []
    apps = [app, new_app(), new_app(), new_app()]
    at_once(*(lambda one=one: rescued.extend(job.id for job in one.rescue()) for one in apps))
    assert sorted(rescued) == sorted(job.id for job in jobs)
    for job in jobs[::10]:
        assert (job.refresh().state, job.attempt, len(job.errors)) == (State.PENDING, 1, 1)
        assert [entry.kind for entry in job.timeline()].count("rescued") == 1


def test_a_clock_that_was_set_back_holds_no_lease_longer_than_its_length(app: Windlass, clock: ManualClock) -> None:
    """E3: by the store's clock, whichever way it jumped."""
    app.enqueue_many([app.request("anything")])
    app.claim(queues=["default"], lease="1m")
    clock.set(clock.now().replace(year=2025))
    assert len(app.rescue()) == 1


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
