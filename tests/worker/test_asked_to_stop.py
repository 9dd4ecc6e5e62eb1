"""A worker that others ask to stop, as ``app.stop_worker`` and ``windlass workers stop`` do."""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable
from functools import partial
from threading import Event, Thread, get_ident

import pytest

from tests.ledger.apps import Apps, gate
from tests.strikes import Strike, sweep
from tests.waiting import PATIENCE, eventually
from tests.worker.call_interceptor import CallInterceptor
from windlass import IllegalTransition, State, Windlass
from windlass.store.operation import Call
from windlass.worker.process.signals import run_burst, run_until_signalled
from windlass.worker.process.stop_order import Stop
from windlass.worker.worker import Worker

pytestmark = pytest.mark.only_on("sqlite")


def stopped(worker: Worker) -> None:
    eventually(lambda: worker.is_stopped, "the worker stops by itself")


@pytest.fixture
def operator(new_app: Apps) -> Windlass:
    """An app as another process has it."""
    return new_app()


@pytest.mark.parametrize("by_name", [True, False])
def test_an_embedded_worker_stops_by_itself(
    app: Windlass, operator: Windlass, by_name: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """What runs ends, what comes later waits for another worker, and the program's own stop is harmless."""
    caplog.set_level(logging.INFO, "windlass.worker")
    with gate() as running:

        @app.task(name="wait")
        def wait() -> str:
            running.wait()
            return "done"

        with app.worker(name="web", id="1") as worker:
            job = wait.enqueue()
            running.await_entered()
            [view] = operator.workers()
            assert operator.stop_worker(view.name if by_name else view.id, by="ada") == 1
            eventually(lambda: worker.state == "draining", "the stop begins")
            later = wait.enqueue()
            assert (worker.is_asked_to_stop, worker.is_stopped) == (True, False)
            assert [(one.signal, one.signalled_by) for one in operator.workers()] == [("stop", "ada")]
            running.open()
            stopped(worker)
            assert job.refresh().state is State.COMPLETED
            assert later.refresh().state is State.PENDING
            assert operator.workers() == []
        worker.stop()
    assert "stopping, as ada asked: finishing what runs" in caplog.text


def test_what_does_not_end_in_the_grace_time_goes_back_uncharged(app: Windlass, operator: Windlass) -> None:
    with gate() as running:

        @app.task
        def wait() -> None:
            running.wait()

        with app.worker(grace=0) as worker:
            job = wait.enqueue()
            running.await_entered()
            operator.stop_worker(worker.name)
            stopped(worker)
            assert (job.refresh().state, job.attempt, job.record.crashes) == (State.PENDING, 0, 0)


def test_a_later_stop_waits_for_the_first_and_may_hurry_it(app: Windlass, operator: Windlass) -> None:
    """A program that closes its app must not take the store away from a worker that is still stopping."""
    with gate() as running:

        @app.task
        def wait() -> None:
            running.wait()

        worker = app.worker(grace="1h")
        worker.start()
        job = wait.enqueue()
        running.await_entered()
        operator.stop_worker(worker.name)
        eventually(lambda: worker.state == "draining", "the stop begins")
        app.close(wait=False)
        assert worker.is_stopped
    assert operator.job(job.id).state is State.PENDING
    assert operator.workers() == []


def test_a_signal_handler_that_stops_it_once_more_does_not_wait_for_itself(app: Windlass) -> None:
    worker = app.worker(["default"])
    worker.start()
    asked: list[int] = []

    def is_urgent() -> bool:
        asked.append(1)
        worker.stop()  # as a handler does that interrupts the first call
        return True

    worker.stop(is_urgent=is_urgent)
    assert asked
    assert worker.is_stopped


def _note(acted: list[float], grace: float, is_urgent: Callable[[], bool]) -> None:
    acted.append(grace)


def test_a_stop_that_an_exception_ends_may_be_tried_again() -> None:
    """As a second Ctrl-C does, at whatever line: the end of the program must be able to hand back what runs."""
    for striker in sweep("windlass.worker.process.stop_order"):
        acted: list[float] = []
        stop = Stop(partial(_note, acted))
        told = striker.during(partial(stop, grace=0, is_urgent=lambda: False))
        assert told is None or isinstance(told, Strike)
        stop(grace=0, is_urgent=lambda: False)
        assert stop.is_over
        assert acted


def test_who_waits_for_a_stop_that_an_exception_ends_goes_on_with_it() -> None:
    waiting, began = Event(), Event()
    acted: list[int] = []

    def act(grace: float, is_urgent: Callable[[], bool]) -> None:
        acted.append(get_ident())
        if len(acted) == 1:
            began.set()
            assert waiting.wait(PATIENCE)
            raise KeyboardInterrupt

    stop = Stop(act)

    def is_urgent() -> bool:
        return False

    def interrupted() -> None:
        with pytest.raises(KeyboardInterrupt):
            stop(grace=60, is_urgent=is_urgent)

    first = Thread(target=interrupted)
    first.start()
    assert began.wait(PATIENCE)
    second = Thread(target=partial(stop, grace=60, is_urgent=is_urgent))
    second.start()
    eventually(lambda: len(stop._urgencies) == 2, "the second waits")
    waiting.set()
    second.join(PATIENCE)
    first.join(PATIENCE)
    assert stop.is_over
    assert acted == [first.ident, second.ident]


def test_a_job_that_stops_its_worker_once_more_does_not_wait_for_itself(app: Windlass) -> None:
    begun = Event()
    workers: list[Worker] = []

    @app.task
    def leave() -> str:
        begun.set()
        eventually(lambda: workers[0].state == "draining", "the stop begins")
        workers[0].stop()
        return "left"

    worker = app.worker(grace="1h")
    workers.append(worker)
    worker.start()
    job = leave.enqueue()
    assert begun.wait(PATIENCE)
    worker.stop()
    assert job.refresh().state is State.COMPLETED


def test_the_word_does_not_reach_the_next_worker_of_that_name(app: Windlass, operator: Windlass) -> None:
    @app.task
    def noop() -> int:
        return 1

    with app.worker(name="web", id="1") as first:
        operator.stop_worker("web-worker-1")
        stopped(first)
    with app.worker(name="web", id="1") as second:
        assert noop.enqueue().result(timeout=PATIENCE) == 1
        assert not second.is_asked_to_stop
        assert [view.signal for view in operator.workers()] == [None]


def test_a_worker_is_asked_only_while_it_lives(app: Windlass, operator: Windlass) -> None:
    worker = app.worker(["default"], name="web", id="1")
    worker.start()
    with pytest.raises(IllegalTransition, match=r"web-worker-1 is \w+, and only lost .* windlass workers stop"):
        operator.forget_worker("web-worker-1")
    assert operator.forget_lost_workers() == 0
    worker.stop()
    assert (operator.stop_worker("web-worker-1"), operator.forget_worker("web-worker-1")) == (0, 0)


@pytest.mark.parametrize(("run", "expected"), [(run_until_signalled, False), (run_burst, 1)])
def test_a_worker_on_the_main_thread_stops_too(
    app: Windlass, operator: Windlass, run: Callable[..., object], expected: object
) -> None:
    """And does not go on in a fresh process; the main thread comes back when it has stopped."""
    with gate() as running:

        @app.task
        def wait() -> None:
            running.wait()

        wait.enqueue()
        worker = app.worker(concurrency=1)

        def ask() -> None:
            running.await_entered()
            wait.enqueue()  # what is ready no longer keeps a burst going
            operator.stop_worker(worker.name)
            eventually(lambda: worker.state == "draining", "the stop begins")
            running.open()

        asking = Thread(target=ask)
        asking.start()
        answer = run(worker)
        assert worker.is_stopped
        asking.join(PATIENCE)
    assert answer == expected
    assert operator.counts()["pending"] == 1


def test_a_second_signal_hurries_a_worker_that_was_asked_to_stop(app: Windlass, operator: Windlass) -> None:
    with gate() as running:

        @app.task
        def wait() -> None:
            running.wait()

        job = wait.enqueue()
        worker = app.worker(grace="1h")

        def ask() -> None:
            running.await_entered()
            operator.stop_worker(worker.name)
            eventually(lambda: worker.state == "draining", "the stop begins")
            for number in (signal.SIGTERM, signal.SIGINT):  # two equal ones may count as one
                signal.raise_signal(number)

        asking = Thread(target=ask)
        asking.start()
        assert not run_until_signalled(worker)
        asking.join(PATIENCE)
    assert job.refresh().state is State.PENDING


def test_a_word_that_comes_with_the_goodbye_still_counts(
    app: Windlass, operator: Windlass, interceptor: CallInterceptor
) -> None:
    """A worker that leaves for a fresh process was asked to stop after it had asked for the last time."""

    def ask(call: Call) -> None:
        if call.name == "close_lease":
            interceptor.before.remove(ask)
            operator.stop_worker(worker.name)

    @app.task
    def noop() -> None: ...

    interceptor.before.append(ask)
    noop.enqueue()
    worker = app.worker()
    assert not run_until_signalled(worker, is_at_limit=lambda: worker.ended_count > 0)
    assert worker.is_asked_to_stop
