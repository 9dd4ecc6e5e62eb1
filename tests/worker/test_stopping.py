"""Stopping: at any moment, within its time, and without a job forgotten or charged."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from threading import Event, Thread
from time import monotonic

import pytest

from tests.ledger.apps import gate, raises
from tests.leeway import leeway
from tests.places.raw_sqlite import RawSqlite
from tests.slow_shutdown import hurried
from tests.waiting import PATIENCE, eventually
from tests.worker.call_interceptor import CallInterceptor, Hold, claimed, claims
from tests.worker.prefetched_task import enqueue_behind, learned, teach
from windlass import PermanentError, Snooze, State, StoreUnavailable, Windlass
from windlass.store.driver import Topic
from windlass.store.operation import Answer, Call
from windlass.worker.shutdown import ShutdownTimes

AFTER_GRACE = 2.0
"""Seconds after the grace time within which a worker is gone."""


def has_marks(call: Call, answer: Answer) -> bool:
    return call.name == "cycle" and bool(call.params["marks"])


def is_vain(call: Call, answer: Answer) -> bool:
    return call.name == "cycle" and bool(call.params["requests"]) and not claimed(answer)


@pytest.mark.parametrize("attempts", [4, 1])
def test_jobs_that_a_cycle_under_way_brings_in_go_back(
    app: Windlass, interceptor: CallInterceptor, attempts: int
) -> None:
    """B7: neither run, nor lost, nor charged: the worker stops while the store hands them out."""
    hold = Hold(claims)
    interceptor.after.append(hold.after)
    ran: list[int] = []

    @app.task
    def note(number: int) -> None:
        ran.append(number)

    worker = app.worker()
    worker.start()
    jobs = note.options(attempts=attempts).enqueue_many([(number,) for number in range(3)])
    hold.await_reached()
    stopping = Thread(target=worker.stop)
    stopping.start()
    eventually(lambda: worker.status().state == "draining", "the stop begins")
    hold.release()
    stopping.join(PATIENCE)
    assert ran == []
    assert {(job.refresh().state, job.attempt, job.record.rescues) for job in jobs} == {(State.PENDING, 0, 0)}


@pytest.mark.only_on("sqlite")
def test_jobs_that_come_in_when_the_time_for_writes_is_over_go_back(
    app: Windlass, interceptor: CallInterceptor
) -> None:
    """B7: a machine that hardly gets on leaves nothing to the rescuer as long as its worker is there."""
    app._shutdown_times = ShutdownTimes(last_lines=0.0, last_writes=0.0, last_call=PATIENCE)
    hold = Hold(claims)
    interceptor.after.append(hold.after)

    @app.task
    def note() -> None: ...

    worker = app.worker()
    worker.start()
    job = note.enqueue()
    hold.await_reached()
    stopping = Thread(target=worker.stop, kwargs={"grace": 0})
    stopping.start()
    eventually(lambda: not worker._watching.is_alive, "its threads end")
    hold.release()
    stopping.join(PATIENCE)
    assert (job.refresh().state, job.attempt, job.record.rescues) == (State.PENDING, 0, 0)


def test_a_last_attempt_that_is_being_marked_goes_back(app: Windlass, interceptor: CallInterceptor) -> None:
    """B7: the store knows of the start that never was, and charges nothing for it."""
    hold = Hold(has_marks)
    interceptor.after.append(hold.after)
    ran: list[int] = []

    @app.task
    def note() -> None:
        ran.append(1)

    worker = app.worker()
    worker.start()
    job = note.options(attempts=1).enqueue()
    hold.await_reached()
    stopping = Thread(target=worker.stop)
    stopping.start()
    eventually(lambda: worker.status().state == "draining", "the stop begins")
    hold.release()
    stopping.join(PATIENCE)
    assert ran == []
    assert (job.refresh().state, job.attempt, job.record.crashes) == (State.PENDING, 0, 0)


def test_jobs_that_were_fetched_ahead_go_back_at_once(app: Windlass) -> None:
    """B7: they are pending for others long before the grace time is over."""
    with gate() as first:
        task = learned(app, {"first": first})
        worker = app.worker(concurrency=1, grace="1h")
        worker.start()
        teach(worker, task)
        running, *others = enqueue_behind(app, task, ["first", *(f"{number}" for number in range(20))])
        eventually(lambda: worker.status().buffered == 20, "the others are fetched ahead")
        stopping = Thread(target=worker.stop)
        stopping.start()
        eventually(lambda: all(job.refresh().state == State.PENDING for job in others), "they are free")
        assert running.refresh().state == State.RUNNING
        first.open()
        stopping.join(PATIENCE)
    assert {(job.refresh().attempt, raises(job.fence)) for job in others} == {(0, 1)}
    assert running.refresh().state == State.COMPLETED


def test_nothing_is_claimed_by_a_worker_that_stops(app: Windlass, interceptor: CallInterceptor) -> None:
    """The stop begins when the store has answered a cycle: one that is still on its way there may take something."""
    hold = Hold(is_vain)
    with gate() as first:

        @app.task
        def wait() -> None:
            first.wait()

        worker = app.worker(grace="1h")
        worker.start()
        wait.enqueue()
        first.await_entered()
        interceptor.after.append(hold.after)
        app.client.session.notify(Topic.WORK)
        hold.await_reached()
        stopping = Thread(target=worker.stop)
        stopping.start()
        eventually(lambda: worker.status().state == "draining", "the stop begins")
        hold.release()
        late = wait.enqueue()
        worker.resume()
        first.open()
        stopping.join(PATIENCE)
    assert (late.refresh().state, late.fence) == (State.PENDING, 0)


@pytest.mark.only_on("sqlite")
@pytest.mark.parametrize("kind", ["thread", "blocked loop", "deaf coroutine"])
def test_user_code_that_does_not_stop_cannot_hold_the_worker(app: Windlass, kind: str) -> None:
    """B7: gone within grace + 2 s; the job is handed back at once, uncharged."""
    with gate() as stuck:

        @app.task
        def thread() -> None:
            stuck.wait()

        @app.task
        async def block() -> None:
            stuck.wait()

        @app.task
        async def deaf() -> None:
            stuck.entered.set()
            while True:
                with suppress(asyncio.CancelledError):
                    await asyncio.Event().wait()

        worker = app.worker(grace=0.2)
        worker.start()
        job = {"thread": thread, "blocked loop": block, "deaf coroutine": deaf}[kind].enqueue()
        stuck.await_entered()
        began = monotonic()
        worker.stop()
        assert monotonic() - began < leeway(0.2 + AFTER_GRACE)
        assert (job.refresh().state, job.attempt) == (State.PENDING, 0)
        assert app.workers() == []
        stuck.open()


@pytest.mark.parametrize(
    ("on_the_way_out", "state"),
    [(ConnectionError("cut"), State.PENDING), (Snooze("1h"), State.SCHEDULED), (PermanentError("no"), State.FAILED)],
    ids=lambda value: type(value).__name__,
)
def test_what_an_interrupted_coroutine_raises_is_not_charged_unless_it_was_meant(
    app: Windlass, on_the_way_out: Exception, state: State
) -> None:
    """B7: handed back without charging an attempt; a task that steers its job is still obeyed."""
    began = Event()

    @app.task(give_up_on=(OSError,))
    async def wait() -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise on_the_way_out from None

    worker = app.worker(grace=0)
    worker.start()
    job = wait.enqueue()
    assert began.wait(PATIENCE)
    worker.stop()
    assert (job.refresh().state, job.attempt) == (state, 1 if state is State.FAILED else 0)


@pytest.mark.parametrize("is_busy", [False, True])
def test_a_store_that_is_away_cannot_hold_the_worker(
    app: Windlass, interceptor: CallInterceptor, is_busy: bool
) -> None:
    """B7: gone within grace + 2 s although every call waits for its deadline."""
    is_away, over = Event(), Event()

    def hang(call: Call) -> None:
        if is_away.is_set():
            over.wait(5)
            raise StoreUnavailable("gone fishing")

    with gate() as running:

        @app.task
        def wait() -> None:
            running.wait()

        worker = hurried(app).worker(grace=0.3, lease="1s")
        worker.start()
        if is_busy:
            wait.enqueue()
            running.await_entered()
        interceptor.before.append(hang)
        is_away.set()
        began = monotonic()
        worker.stop()
        assert monotonic() - began < leeway(0.3 + AFTER_GRACE)
        running.open()
        is_away.clear()
        over.set()


@pytest.mark.only_on("sqlite")
def test_a_worker_that_waits_for_its_runs_rests(app: Windlass) -> None:
    """B7: a worker and its pump that wake each other would take the processor from the very jobs they wait for."""
    looks: list[float] = []
    with gate() as running:

        @app.task
        def wait() -> None:
            running.wait()

        def look() -> bool:
            looks.append(monotonic())
            if len(looks) == 60:
                running.open()
            return False

        worker = app.worker()
        worker.start()
        job = wait.enqueue()
        running.await_entered()
        worker.stop(grace="1h", is_urgent=look)
    assert job.refresh().state is State.COMPLETED
    assert looks[59] - looks[0] > 1, "60 looks take a second at the least, on a machine however fast"


@pytest.mark.only_on("sqlite")
def test_a_file_that_another_holds_locked_cannot_hold_the_worker(app: Windlass, file: RawSqlite) -> None:
    """B7: the same with the store as it is."""
    with gate() as running:

        @app.task
        def wait() -> None:
            running.wait()

        worker = hurried(app).worker(grace=0.3, lease="1s")
        worker.start()
        wait.enqueue()
        running.await_entered()
        with file.locked():
            running.open()
            began = monotonic()
            worker.stop()
            assert monotonic() - began < leeway(0.3 + AFTER_GRACE)


def test_a_long_cleaning_cannot_hold_the_worker(app: Windlass, interceptor: CallInterceptor) -> None:
    """B7: the worker says goodbye while its upkeep is still busy; nobody takes it for lost."""
    hold = Hold(lambda call, answer: call.name == "next_due")
    interceptor.before.append(hold.before)
    worker = app.worker(["default"], grace="1h")
    worker.start()
    hold.await_reached()
    worker.stop()
    assert app.workers() == []
    hold.release()


def test_a_second_stop_is_harmless(app: Windlass) -> None:
    worker = app.worker(["default"])
    worker.stop()
    worker.start()
    worker.stop()
    worker.stop()
    assert worker.status().state == "draining"


def test_what_a_coroutine_leaves_on_the_loop_is_ended(app: Windlass) -> None:
    """A task that it made and forgot gets its chance to clean up."""
    began, cleaned = Event(), Event()

    async def linger() -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            cleaned.set()

    left: list[asyncio.Task[None]] = []

    @app.task
    async def forget() -> None:
        left.append(asyncio.create_task(linger()))

    with app.worker():
        forget.enqueue()
        assert began.wait(PATIENCE)
    assert cleaned.wait(PATIENCE)
