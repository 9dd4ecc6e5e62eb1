"""Calls from signal handlers and finalisers, which run on the thread that they interrupt, wherever that is."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import pytest

from tests.ledger.apps import Apps, work
from tests.places.place import Place
from windlass import ReentrantCall, State, Windlass
from windlass.testing import ManualClock


class Trap(ManualClock):
    """A clock that does something once, in the middle of the call that asks it."""

    def __init__(self) -> None:
        super().__init__()
        self._left = 0
        self._spring: Callable[[], object] | None = None

    def set_up(self, spring: Callable[[], object], *, after: int) -> None:
        self._left, self._spring = after, spring

    def __call__(self) -> int:
        spring = self._spring
        if spring is not None:
            self._left -= 1
            if self._left < 0:
                self._spring = None
                spring()
        return super().__call__()


@pytest.fixture
def trap() -> Trap:
    return Trap()


@pytest.fixture
def app(place: Place, trap: Trap) -> Iterator[Windlass]:
    with Apps(place, clock=trap) as apps:
        app = apps()
        app.task(name="note")(note)
        yield app


def note() -> None:
    """Does nothing."""


PLACES = pytest.mark.parametrize("after", [0, 1], ids=["while an id is made", "in the store"])


@PLACES
def test_a_finaliser_gets_a_clear_error(app: Windlass, trap: Trap, after: int) -> None:
    """A1: instead of waiting for itself; the call that it interrupted goes on."""
    app.enqueue("note")
    caught: list[ReentrantCall] = []

    class Late:
        def __del__(self) -> None:
            try:
                app.enqueue("note")
            except ReentrantCall as error:
                caught.append(error)

    waiting = [Late()]
    trap.set_up(waiting.clear, after=after)
    job = app.enqueue("note")
    assert job.state is State.PENDING
    assert "SimpleQueue" in str(caught[0])
    assert "signal handler" in str(caught[0])
    assert work(app) == 2


@contextmanager
def handling(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    before = signal.signal(signal.SIGUSR1, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGUSR1, before)


@PLACES
def test_a_signal_handler_gets_a_clear_error(app: Windlass, trap: Trap, after: int) -> None:
    """A1: which it may catch; ordinary code can enqueue again at once."""
    app.enqueue("note")
    caught: list[ReentrantCall] = []

    def on_signal(signum: int, frame: FrameType | None) -> None:
        with pytest.raises(ReentrantCall) as raised:
            app.enqueue("note")
        caught.append(raised.value)

    with handling(on_signal):
        trap.set_up(lambda: signal.raise_signal(signal.SIGUSR1), after=after)
        app.enqueue("note")
    assert len(caught) == 1
    app.enqueue("note")
    assert work(app) == 3


def test_a_signal_handler_outside_of_our_calls_may_enqueue(app: Windlass) -> None:
    def on_signal(signum: int, frame: FrameType | None) -> None:
        app.enqueue("note")

    with handling(on_signal):
        signal.raise_signal(signal.SIGUSR1)
    assert work(app) == 1


@PLACES
def test_a_call_that_was_cut_off_stands_in_nobodys_way(app: Windlass, trap: Trap, after: int) -> None:
    """A1: an exception may strike a call at any place; the thread can make the next one."""
    app.enqueue("note")

    def strike() -> None:
        raise KeyboardInterrupt

    trap.set_up(strike, after=after)
    with pytest.raises(KeyboardInterrupt):
        app.enqueue("note")
    job = app.enqueue("note")
    assert job.state is State.PENDING
