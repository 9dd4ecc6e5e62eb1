"""The heartbeat: kept up whatever user code does, and believed when it says that something is lost."""

from __future__ import annotations

import asyncio
import logging
from itertools import count
from threading import Event

import pytest

from tests.ledger.apps import gate
from tests.places.raw_store import RawStore
from tests.waiting import PATIENCE, eventually
from tests.worker.call_interceptor import CallInterceptor, Hold
from windlass import ConfigError, State, StoreUnavailable, Windlass, current_job
from windlass.store.operation import Answer, Call

SHORT = {"lease": "1s", "concurrency": 2}


def beats(interceptor: CallInterceptor, count: int) -> None:
    """Wait for that many more renewals."""
    wanted = interceptor.calls["renew"] + count
    eventually(lambda: interceptor.calls["renew"] >= wanted, "the lease is renewed")


def test_a_blocked_event_loop_does_not_delay_the_heartbeat(app: Windlass, interceptor: CallInterceptor) -> None:
    """B6: user code shares no thread with the heartbeat; the lease outlives a block of more than its length."""
    with gate() as hog:

        @app.task
        async def block() -> int:
            hog.wait()
            return current_job().fence

        with app.worker(lease="1s"):
            job = block.enqueue()
            hog.await_entered()
            beats(interceptor, 4)
            hog.open()
            assert job.result(timeout=PATIENCE) == job.refresh().fence
    assert job.attempt == 1


@pytest.mark.only_on("sqlite")
def test_busy_threads_do_not_delay_the_heartbeat(app: Windlass, interceptor: CallInterceptor) -> None:
    """B6: threads that compute without a pause leave the heartbeat its turn."""
    enough = Event()

    @app.task
    def compute(number: int) -> int:
        rounds = 0
        while not enough.is_set():
            rounds += 1
        return current_job().fence

    with app.worker(lease="1s", concurrency=4):
        jobs = compute.enqueue_many([(number,) for number in range(4)])
        beats(interceptor, 4)
        enough.set()
        assert [job.result(timeout=PATIENCE) for job in jobs] == [job.refresh().fence for job in jobs]


def test_a_run_that_ends_while_the_lease_is_renewed_is_not_taken_for_lost(
    app: Windlass, interceptor: CallInterceptor, caplog: pytest.LogCaptureFixture
) -> None:
    """The heartbeat saw it run, the store holds it no more: because we ended it, not because another has it."""
    with gate() as running:

        @app.task
        def wait() -> None:
            running.wait()

        with app.worker(lease="1s") as worker:
            job = wait.enqueue()
            running.await_entered()

            def end_it(call: Call) -> None:
                if call.name == "renew" and running.entered.is_set():
                    running.open()
                    eventually(lambda: job.refresh().done, "the run ends")

            interceptor.before.append(end_it)
            beats(interceptor, 2)
            assert worker.status().refused == 0
    assert "lost" not in caplog.text


def test_a_lost_lease_stops_the_jobs_and_a_new_one_takes_its_place(
    app: Windlass, raw_store: RawStore, caplog: pytest.LogCaptureFixture
) -> None:
    """A8: one refused renewal gives the lease up at once, stops the jobs and says so in the log."""
    began, stopped = Event(), Event()

    @app.task
    async def wait() -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            stopped.set()
            raise

    @app.task
    def echo() -> str:
        return "still here"

    with app.worker(lease="1s", duties=False) as worker:
        before = worker.lease
        job = wait.enqueue()
        assert began.wait(PATIENCE)
        app.queue("default").pause()
        raw_store.forget_leases()
        assert stopped.wait(PATIENCE)
        eventually(lambda: worker.lease not in ("", before), "a new lease is opened")
        eventually(lambda: job.refresh().state == State.PENDING, "the job is free again")
        assert job.attempt == 0
        job.delete()
        app.queue("default").resume()
        assert echo.enqueue().result(timeout=PATIENCE) == "still here"
    assert "lease lost" in caplog.text


def test_a_lease_row_that_was_deleted_is_a_lost_lease(app: Windlass, raw_store: RawStore) -> None:
    """W13: the worker opens another and goes on."""

    @app.task
    def echo() -> int:
        return 1

    with app.worker(lease="1s") as worker:
        before = worker.lease
        raw_store.forget_leases()
        eventually(lambda: worker.lease not in ("", before), "a new lease is opened")
        assert echo.enqueue().result(timeout=PATIENCE) == 1


def test_a_worker_row_that_was_deleted_comes_back(
    app: Windlass, raw_store: RawStore, interceptor: CallInterceptor
) -> None:
    """W13: the worker re-registers with the next beat; its jobs stay its own."""
    with gate() as running:

        @app.task
        def wait() -> int:
            running.wait()
            return current_job().fence

        with app.worker(lease="1s") as worker:
            job = wait.enqueue()
            running.await_entered()
            raw_store.forget_workers()
            eventually(lambda: [seen.name for seen in app.workers()] == [worker.name], "the worker is shown again")
            running.open()
            assert job.result(timeout=PATIENCE) == job.refresh().fence


def test_one_job_that_was_taken_away_is_stopped_and_the_others_go_on(app: Windlass, raw_store: RawStore) -> None:
    """E2: a worker that keeps its lease but lost one job learns which within one heartbeat."""
    stopped: list[str] = []

    @app.task
    async def wait() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            stopped.append(current_job().id)
            raise

    with app.worker(lease="1s", grace=0) as worker:
        lost, kept = wait.enqueue(), wait.enqueue()
        eventually(lambda: worker.status().running == 2, "both run")
        raw_store.take_away(lost)
        eventually(lambda: stopped == [lost.id], "the lost one is stopped")
        eventually(lambda: worker.status().refused == 1, "its ending is refused")
        assert kept.refresh().state == State.RUNNING
        [refused] = [entry for entry in lost.timeline() if entry.kind == "refused"]
        assert (refused.worker, refused.fence) == (worker.name, lost.refresh().fence - 1)


def test_after_three_failed_heartbeats_the_lease_is_given_up(
    app: Windlass, interceptor: CallInterceptor, caplog: pytest.LogCaptureFixture
) -> None:
    """A8: three failures in a row, and nothing is claimed under the old lease from then on."""
    is_away = Event()
    leases: list[str] = []

    def fail(call: Call) -> None:
        if is_away.is_set() and call.name in ("renew", "open_lease"):
            raise StoreUnavailable("gone fishing")
        if call.name == "cycle" and call.params["requests"]:
            leases.append(call.params["lease"])

    interceptor.before.append(fail)

    @app.task
    def echo() -> int:
        return 1

    with app.worker(lease="30s", heartbeat="0.1s", heartbeat_failures=3) as worker:
        before = worker.lease
        is_away.set()
        eventually(lambda: worker.lease == "", "the lease is given up")
        leases.clear()
        job = echo.enqueue()
        eventually(lambda: leases, "the pump looks for jobs")
        assert set(leases) == {""}
        assert job.refresh().state == State.PENDING
        is_away.clear()
        assert job.result(timeout=PATIENCE) == 1
        assert worker.lease not in ("", before)
    assert "3 in a row" in caplog.text


def test_fewer_failures_are_forgiven(
    app: Windlass, interceptor: CallInterceptor, caplog: pytest.LogCaptureFixture
) -> None:
    """A8: the count starts anew with each success."""
    failures = iter([True, True, False] * 3)

    def fail(call: Call) -> None:
        if call.name == "renew" and next(failures, False):
            raise StoreUnavailable("gone fishing")

    interceptor.before.append(fail)
    with app.worker(["default"], lease="30s", heartbeat="0.05s", heartbeat_failures=3) as worker:
        before = worker.lease
        beats(interceptor, 10)
        assert worker.lease == before
    assert "lease lost" not in caplog.text


def test_refusals_within_one_interval_are_one_missed_heartbeat(
    app: Windlass, interceptor: CallInterceptor, caplog: pytest.LogCaptureFixture
) -> None:
    """A8: rounds that had nothing to ask are no success, so an outage is not told anew with every question."""
    is_away, refused = Event(), count(1)
    is_refused_often = Event()

    def fail(call: Call) -> None:
        if is_away.is_set() and call.name in ("renew", "control"):
            if next(refused) == 3:
                is_refused_often.set()
            raise StoreUnavailable("gone fishing")

    def leave(call: Call, answer: Answer) -> None:
        # Right after an answer: a beat that a busy machine has missed just before would be the one that is told.
        if call.name == "control":
            is_away.set()

    interceptor.before.append(fail)
    interceptor.after.append(leave)
    with app.worker(["default"], lease="10m"):
        # A worker that could not yet show that it has started renews its lease, and asks for nothing before.
        assert is_refused_often.wait(PATIENCE), "the worker asks again and again"
    eventually(lambda: "gone fishing" in caplog.text, "it is told, by a thread of the log's own")
    assert caplog.text.count("heartbeat failed (1 in a row): gone fishing") == 1


@pytest.mark.parametrize("heartbeat", ["16s", "30s", 0])
def test_a_heartbeat_of_more_than_half_the_lease_is_refused(app: Windlass, heartbeat: str | int) -> None:
    """A8: more than lease/2 is ConfigError."""
    with pytest.raises(ConfigError, match="heartbeat"):
        app.worker(["default"], lease="30s", heartbeat=heartbeat)


def test_a_heartbeat_shows_what_the_worker_does(app: Windlass) -> None:
    """B9: state, current jobs, counts, host, pid; a clean stop disappears at once."""
    with gate() as running:

        @app.task
        def wait() -> None:
            running.wait()

        with app.worker(lease="1s", name="shop") as worker:
            job = wait.enqueue()
            running.await_entered()
            eventually(lambda: [seen.state for seen in app.workers()] == ["busy"], "it is seen as busy")
            [seen] = app.workers()
            assert seen.name == worker.name
            assert seen.info["running"] == [{"id": job.id, "task": job.task}]
            running.open()
    assert app.workers() == []


def test_a_lease_that_is_over_is_given_up_while_a_renewal_hangs(
    app: Windlass, interceptor: CallInterceptor, caplog: pytest.LogCaptureFixture
) -> None:
    """A8: by the local clock; what runs is stopped, what it gives is dropped, and a late answer changes nothing."""
    hanging = Hold(lambda call, answer: call.name == "renew" and began.is_set())
    began, stopped = Event(), Event()

    @app.task
    async def wait() -> str:
        began.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            stopped.set()
        return "what nobody wants"

    with app.worker(lease="1s", duties=False) as worker:
        before = worker.lease
        job = wait.enqueue()
        assert began.wait(PATIENCE)
        interceptor.before.append(hanging.before)
        hanging.await_reached()
        assert stopped.wait(PATIENCE)
        assert worker.lease == ""
        app.queue("default").pause()
        hanging.release()
        eventually(lambda: worker.lease not in ("", before), "a new lease is opened")
        eventually(lambda: job.refresh().state is State.PENDING, "the fence lets the job go")
        assert (job.attempt, job.record.result) == (0, None)
    assert caplog.text.count("lease lost") == 1
    assert "the store does not answer" in caplog.text


def test_a_run_that_had_ended_before_the_lease_was_lost_is_still_offered(
    app: Windlass, interceptor: CallInterceptor
) -> None:
    """A8: the fence decides."""
    with gate() as running:
        renewing = Hold(lambda call, answer: call.name == "renew" and running.entered.is_set())
        ending = Hold(lambda call, answer: call.name == "cycle" and bool(call.params["completed"]))

        @app.task
        def work() -> str:
            running.wait()
            return "done"

        with app.worker(lease="1s", duties=False) as worker:
            job = work.enqueue()
            running.await_entered()
            interceptor.before += [renewing.before, ending.before]
            running.open()
            ending.await_reached()
            eventually(lambda: worker.lease == "", "the lease is given up")
            ending.release()
            renewing.release()
            assert job.result(timeout=PATIENCE) == "done"


def test_a_renewal_that_is_late_by_our_own_doing_is_no_loss(app: Windlass, interceptor: CallInterceptor) -> None:
    """The store ends leases, not the time: one that nobody rescued is simply renewed."""
    with app.worker(["default"], lease="30s") as worker:
        before, heart = worker.lease, worker._heartbeat
        eventually(lambda: interceptor.calls["renew"] and not heart._is_under_way, "it has told that it started")
        heart._renewed -= 3600
        beats(interceptor, 1)
        eventually(lambda: not heart._is_under_way, "the round is over")
        assert worker.lease == before


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)


def test_a_state_that_was_left_is_not_shown_until_the_next_renewal(app: Windlass) -> None:
    """B10: people see that a worker has started, or rests, long before its lease needs to be renewed."""

    def shown() -> list[str]:
        return [worker.state for worker in app.workers()]

    with app.worker(queues=["default"], lease="10m") as worker:
        eventually(lambda: shown() == ["idle"], "it has started")
        worker.pause()
        eventually(lambda: shown() == ["paused"], "it rests")
