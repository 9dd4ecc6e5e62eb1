"""Why a job is not running: every answer in the situation that it is about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import Any

from msgspec.structs import replace

from tests.ledger.apps import until_interrupted
from tests.slow_shutdown import unhurried
from tests.waiting import eventually
from windlass import Job, State, Throttled, Windlass
from windlass.insight.why.why import explain
from windlass.store.operations.gates import ClaimSituation, Gate, ShutGate
from windlass.store.operations.leases import WorkerReport, open_lease
from windlass.store.operations.queries import find
from windlass.store.operations.upkeep import leader
from windlass.testing import ManualClock

NOBODY = "no worker and no `windlass duties` runs that would promote it"
ANYBODY = "it will be rescued as soon as any worker or `windlass duties` runs"


def tend(app: Windlass, *, lease: int = 30_000) -> None:
    """Let a process do upkeep, as every worker and ``windlass duties`` does."""
    presence = WorkerReport("d1", "alpha-duties-1", "duties", '{"duties":true}')
    app.client.session.run(open_lease(presence, lease="lease-2", ttl=lease))
    app.client.session.run(leader.take_lead("leader", holder="me", ttl=10_000))


def worker_that_died(app: Windlass, *jobs: Job[Any]) -> None:
    """A worker takes the jobs and is not heard of again."""
    from windlass.store.operations.cycle import Claimant, cycle

    presence = WorkerReport("w1", "alpha-worker-1", "busy", '{"queues":["default"]}')
    app.client.session.run(open_lease(presence, lease="lease-1", ttl=30_000))
    claimant = Claimant("alpha-worker-1", "lease-1", "token")
    app.client.session.run(cycle(claimant, endings=[], marks=[], requests=[("default", len(jobs))], takes_suspect=True))
    assert {job.refresh().state for job in jobs} == {State.RUNNING}


def test_a_job_of_a_worker_that_died_with_nobody_to_rescue_it(app: Windlass, clock: ManualClock) -> None:
    job = app.enqueue("noop")
    worker_that_died(app, job)
    assert job.why() == "it is running on alpha-worker-1"
    clock.advance("35s")
    assert job.why() == f"its worker alpha-worker-1 has not been heard of for 35 s; {ANYBODY}"
    tend(app)
    assert job.why().endswith("has not been heard of for 35 s; it will be rescued in a moment")
    app.rescue()
    assert job.why() == "no worker serves queue 'default'"


def test_a_leader_that_has_died_rescues_nothing(app: Windlass, clock: ManualClock) -> None:
    """Although its lead outlasts its lease."""
    job = app.enqueue("noop")
    worker_that_died(app, job)
    clock.advance("35s")
    tend(app, lease=2_000)
    assert job.why().endswith("it will be rescued in a moment")
    clock.advance("3s")
    assert job.why().endswith(ANYBODY)


def test_a_job_whose_worker_is_gone_without_a_trace(app: Windlass) -> None:
    from windlass.store.operations.leases import close_lease

    job = app.enqueue("noop")
    worker_that_died(app, job)
    app.client.session.run(close_lease(worker="w1", lease="lease-1"))
    assert job.why() == f"its worker alpha-worker-1 is gone; {ANYBODY}"


def test_a_job_that_was_claimed_by_hand_and_forgotten(app: Windlass, clock: ManualClock) -> None:
    job = app.enqueue("noop")
    [claimed] = app.claim(lease="1m")
    owner = claimed.job.worker
    assert job.why() == f"it is running on {owner}"
    clock.advance("3m")
    assert job.why() == f"{owner}, who claimed it by hand, has not been heard of for 3 min; {ANYBODY}"


def test_a_job_that_is_due_with_nobody_to_promote_it(app: Windlass, clock: ManualClock) -> None:
    job = app.tasks[0].options(delay="10m").enqueue()
    assert job.why() == "it is scheduled, due in 0:10:00"
    clock.advance("10m")
    clock.advance("12s")
    assert job.why() == f"it is scheduled, overdue by 12 s: {NOBODY}"
    tend(app)
    assert job.why() == "it is scheduled, due now, waiting to be promoted"
    app.promote()
    assert job.why() == "no worker serves queue 'default'"


def test_a_job_that_is_to_be_retried_with_nobody_to_promote_it(app: Windlass, clock: ManualClock) -> None:
    job = app.enqueue("fail")
    app.worker().run_until_empty()
    assert job.why() == "attempt 1 of 2 failed; the next is due in 0:01:00"
    clock.advance("3h")
    assert job.why() == f"attempt 1 of 2 failed; the next is overdue by 3 h: {NOBODY}"


def test_a_job_of_a_task_that_no_worker_knows(app: Windlass, clock: ManualClock) -> None:
    job = app.enqueue("ghost")
    app.worker().run_until_empty()
    assert job.why().startswith("no worker that met it knows the task 'ghost' (due in 0:")
    clock.advance("1h")
    assert f"(overdue by 60 min: {NOBODY})" in job.why()


def test_jobs_that_have_ended(app: Windlass) -> None:
    done, dead = app.enqueue("noop"), app.tasks[1].options(attempts=1).enqueue()
    gone = app.tasks[0].options(delay="1h").enqueue()
    gone.cancel()
    app.worker().run_until_empty()
    assert done.why() == "it is completed"
    assert dead.why() == "it failed (attempts); retry it to run it again"
    assert gone.why() == "it is cancelled"


@contextmanager
def idle_worker(app: Windlass, name: str = "alpha-worker-1", state: str = "idle") -> Iterator[None]:
    """A worker that is alive and claims nothing while the test looks."""
    app.client.session.run(
        open_lease(WorkerReport(name, name, state, '{"queues":["default"]}'), lease=f"lease-{name}", ttl=30_000)
    )
    yield


def test_jobs_that_wait_for_their_turn(app: Windlass) -> None:
    first, second, third = (app.enqueue("noop") for _ in range(3))
    assert first.why() == "no worker serves queue 'default'"
    with idle_worker(app):
        assert first.why() == "it is next in line and waits for a free slot"
        assert second.why() == "1 job of queue 'default' comes first; 1 worker serves it"
        with idle_worker(app, "beta-worker-2"):
            assert third.why() == "2 jobs of queue 'default' come first; 2 workers serve it"


def test_workers_that_take_nothing(app: Windlass) -> None:
    job = app.enqueue("noop")
    with idle_worker(app, state="paused"):
        assert job.why() == "the only worker that serves queue 'default' takes no jobs now: alpha-worker-1 is paused"
        with idle_worker(app, "beta-worker-2", state="draining"):
            assert job.why() == (
                "all 2 workers that serve queue 'default' take no jobs now: alpha-worker-1 is paused, beta-worker-2 is "
                "about to leave"
            )


def test_queues_that_are_paused(app: Windlass) -> None:
    job = app.enqueue("noop")
    with idle_worker(app):
        app.queue("default").pause("the provider is down", by="ada")
        assert job.why() == "queue 'default' is paused by ada: the provider is down"
        app.queue("default").resume()
        app.pause(by="ada")
        assert job.why() == "all queues are paused by ada"


def test_all_that_keeps_a_job_back_is_told(app: Windlass) -> None:
    """F2: opening one gate of several is not enough, so each is named; also those of a job that is blocked."""
    job = app.enqueue("noop")
    app.queue("default").configure(max_running=1)
    [held] = app.claim()
    waits = app.enqueue("noop")
    app.pause("maintenance", by="ada")
    app.queue("default").pause(by="bob")
    assert waits.why() == (
        "all queues are paused by ada: maintenance; also, queue 'default' is paused by bob; also, no worker serves "
        f"queue 'default'; also, queue 'default' is at its limit of 1 running job, held by job {held.id}"
    )
    [child] = app.enqueue_many([app.request("noop", after=[job])])
    assert child.why().endswith(
        "; also, all queues are paused by ada: maintenance; also, queue 'default' is paused by bob"
    )
    app.resume()
    app.queue("default").resume()
    held.complete()
    with idle_worker(app):
        assert waits.why() == "it is next in line and waits for a free slot"


def test_a_concurrency_key_is_told_beside_other_gates(app: Windlass) -> None:
    """F2: as long as another gate is shut no claim has met the job, which is pending still."""

    @app.task(concurrency=6, concurrency_key="all", queue="default")
    def one_of_six() -> None: ...

    jobs = app.enqueue_many([one_of_six.request() for _ in range(7)])
    held = app.claim(5)
    app.pause(by="ada")
    shut = "all queues are paused by ada; also, no worker serves queue 'default'"
    assert jobs[-1].why() == shut
    app.resume()
    held += app.claim(1)
    app.pause(by="ada")
    named = ", ".join(one.id for one in held[:5])
    assert jobs[-1].why() == f"{shut}; also, its concurrency key 'all' is held by {named}"
    held[0].complete()
    assert jobs[-1].why() == shut


def test_what_will_hold_a_job_when_its_time_has_come_is_told_as_well(app: Windlass, clock: ManualClock) -> None:
    """F2: a pause, and a cool-down that outlasts what the job waits for now."""

    @app.task(name="throttled", queue="default")
    def throttled(scope: str) -> None:
        raise Throttled("429", scope=scope, retry_after="1h")

    soon, later = (app.tasks[0].options(delay=delay).enqueue() for delay in ("10m", "2h"))
    failed = app.enqueue("fail")
    app.worker().run_until_empty()
    job = throttled.enqueue("queue")
    app.worker().run_until_empty()
    end = f"{clock.now() + timedelta(hours=1):%Y-%m-%d %H:%M:%S} UTC"
    cooling = f"queue 'default' cools down until {end}: 429"
    assert soon.why() == f"it is scheduled, due in 0:10:00; also, {cooling}"
    assert failed.why() == f"attempt 1 of 2 failed; the next is due in 0:01:00; also, {cooling}"
    assert later.why() == "it is scheduled, due in 2:00:00"
    assert job.why() == f"{cooling}; it is scheduled, due in 1:00:00"
    app.queue("default").pause("the provider is down", by="ada")
    paused = "queue 'default' is paused by ada: the provider is down"
    assert later.why() == f"it is scheduled, due in 2:00:00; also, {paused}"
    assert job.why() == f"{cooling}; it is scheduled, due in 1:00:00; also, {paused}"


def test_every_gate_has_a_sentence_of_its_own(app: Windlass) -> None:
    """F2: what holds a claim back is told."""
    [record] = app.client.session.run(find([app.enqueue("noop").id])).values()
    found = ClaimSituation(State.PENDING, 1, 1, 0, 0, None, None, 0)
    said = {explain(replace(found, shut=(ShutGate(gate),)), record) for gate in Gate}
    assert len(said) == len(Gate)
    assert all(said)


def test_a_job_with_which_workers_died(app: Windlass, clock: ManualClock) -> None:
    job = app.tasks[0].options(attempts=5).enqueue()
    worker_that_died(app, job)
    clock.advance("35s")
    app.rescue()
    with idle_worker(app, "beta-worker-2"):
        assert "workers died 1 time while it held this job" in job.why()


def test_jobs_with_which_workers_died_wait_for_each_other(app: Windlass, clock: ManualClock) -> None:
    """A job of a higher priority comes before all of them."""
    suspects = [app.tasks[0].options(attempts=5).enqueue() for _ in range(3)]
    worker_that_died(app, *suspects)
    clock.advance("35s")
    app.rescue()
    with idle_worker(app, "beta-worker-2"):
        assert "one such job at a time; 1 worker serves its queue" in suspects[0].why()
        assert "one such job at a time, and 1 such job of its queue first; 1 worker" in suspects[1].why()
        assert "one such job at a time, and 2 such jobs of its queue first; 1 worker" in suspects[2].why()
        app.tasks[0].options(priority=5).enqueue()
        assert suspects[0].why() == "1 job of queue 'default' comes first; 1 worker serves it"


def test_a_job_behind_very_many(app: Windlass) -> None:
    app.enqueue_many([app.request("noop") for _ in range(1001)])
    job = app.enqueue("noop")
    with idle_worker(app):
        assert job.why() == "1,000 or more jobs of queue 'default' come first; 1 worker serves it"


def test_a_command_that_no_worker_allows(app: Windlass, clock: ManualClock) -> None:
    job = app.enqueue(app.command(["true"]))
    app.worker().run_until_empty()
    assert job.why().startswith("no worker that met it allows commands (due in 0:")
    assert "windlass worker --allow-commands" in job.why()
    clock.advance("1h")
    assert f"(overdue by 60 min: {NOBODY})" in job.why()


def test_a_failed_job_whose_run_would_not_stop(tmp_path: Path) -> None:
    over = Event()
    with unhurried(Windlass(f"sqlite:///{tmp_path}/jobs.db")) as app:

        @app.task(name="deaf", timeout=0.05, retry=False)
        def deaf() -> None:
            while not over.is_set():
                until_interrupted(over)

        try:
            with app.worker(stop_patience="50ms", grace=0) as worker:
                job = deaf.enqueue()
                eventually(lambda: job.refresh().state is State.FAILED, "its worker goes on without it")
                why = f"it failed (timeout), but its run on {worker.name} would not stop and may still be at work"
                eventually(lambda: job.why() == f"{why}; retry it to run it again", "it is told")
                over.set()
        finally:
            over.set()


def test_workers_without_duties_promote_and_rescue_nothing(app: Windlass, clock: ManualClock) -> None:
    later = app.tasks[0].options(delay="10m", queue="other").enqueue()
    held = app.enqueue("noop")
    worker_that_died(app, held)
    with app.worker(["other"], duties=False, heartbeat="50ms"):
        clock.advance("11m")
        which = "no worker without --no-duties and no `windlass duties` runs that would promote it"
        eventually(lambda: later.why() == f"it is scheduled, overdue by 60 s: {which}", "the heartbeat tells")
        assert held.why().endswith("as soon as `windlass duties` runs, or a worker without --no-duties")
        tend(app)
        assert later.why() == "it is scheduled, due now, waiting to be promoted"
        assert held.why().endswith("it will be rescued in a moment")


def test_a_worker_with_duties_that_has_just_started_does_upkeep(app: Windlass, clock: ManualClock) -> None:
    """Although no process leads yet."""
    job = app.tasks[0].options(delay="10m").enqueue()
    clock.advance("11m")
    with idle_worker(app):
        assert job.why() == "it is scheduled, due now, waiting to be promoted"


def test_a_thread_whose_time_is_over_and_that_has_not_stopped(tmp_path: Path) -> None:
    """B8: between its time limit and the moment at which the worker goes on without it."""
    over = Event()
    with unhurried(Windlass(f"sqlite:///{tmp_path}/jobs.db")) as app:

        @app.task(name="deaf", timeout=0.2)
        def deaf() -> None:
            while not over.is_set():
                until_interrupted(over)

        try:
            with app.worker(stop_patience="60s"):
                job = deaf.enqueue()
                eventually(lambda: "its time limit" in job.why(), "it is told")
                assert "; its time limit of 0.2 s is over since " in job.why()
                assert job.why().endswith(" s; it is in a call that cannot be interrupted")
                over.set()
                eventually(lambda: job.refresh().done or job.state is not State.RUNNING, "it stops")
        finally:
            over.set()
