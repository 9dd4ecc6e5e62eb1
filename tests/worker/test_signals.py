"""Signals: noticed whatever the main thread is doing at that moment."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from threading import Thread
from types import FrameType

import pytest

from tests.waiting import PATIENCE
from windlass import ConfigError, Windlass
from windlass.worker.process.signals import StopSignals


def test_the_first_signal_asks_and_the_second_urges() -> None:
    """B7: a second signal stops now."""
    with StopSignals() as signals:
        assert not signals.has_come()
        signal.raise_signal(signal.SIGTERM)
        signals.wait()
        assert (signals.has_come(), signals.is_urgent()) == (True, False)
        signal.raise_signal(signal.SIGINT)
        assert signals.is_urgent()


def test_former_handlers_come_back() -> None:
    def own(number: int, frame: FrameType | None) -> None: ...

    before = signal.signal(signal.SIGTERM, own)
    try:
        with StopSignals():
            assert signal.getsignal(signal.SIGTERM) is not own
        assert signal.getsignal(signal.SIGTERM) is own
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_signal_that_another_thread_receives_wakes_the_main_one() -> None:
    """The system may choose any thread; only the main one runs handlers, and it is asleep."""
    with StopSignals() as signals:
        Thread(target=lambda: signal.pthread_kill(threading.get_ident(), signal.SIGTERM)).start()
        signals.wait()
        assert signals.has_come()


def test_a_worker_until_a_signal_needs_the_main_thread(app: Windlass) -> None:
    errors: list[Exception] = []

    def run() -> None:
        try:
            app.run_worker(["default"])
        except ConfigError as error:
            errors.append(error)

    thread = Thread(target=run)
    thread.start()
    thread.join(PATIENCE)
    assert ["main thread" in str(error) for error in errors] == [True]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_worker_runs_until_a_signal(app: Windlass, number: signal.Signals) -> None:
    """B7, A16: the job itself sends it; its own ending is written before the worker is gone."""

    @app.task
    def stop() -> str:
        signal.raise_signal(number)
        return "stopped"

    job = stop.enqueue()
    app.run_worker()
    assert job.result(timeout=PATIENCE) == "stopped"
    assert app.workers() == []


@pytest.fixture
def _hangup() -> Iterator[None]:
    before = signal.getsignal(signal.SIGHUP)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("_hangup")
@pytest.mark.parametrize("owner", [signal.SIG_IGN, lambda number, frame: None], ids=["nohup", "the program's own"])
def test_a_hangup_that_others_have_a_say_in_is_left_to_them(owner: signal.Handlers) -> None:
    signal.signal(signal.SIGHUP, owner)
    with StopSignals() as signals:
        assert signal.getsignal(signal.SIGHUP) is owner
        signal.raise_signal(signal.SIGHUP)
        assert not signals.has_come()
        assert not signals.wants_restart()
