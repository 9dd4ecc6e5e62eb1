"""The event by which threads of our own are woken."""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue
from threading import Event, Thread

import pytest

from tests.waiting import PATIENCE
from windlass.threads.wakeup import Wakeup


class Tokens(SimpleQueue[None]):
    """Tells when a thread is about to wait, and what another thread does right behind a token is done there."""

    def __init__(self) -> None:
        self.after_put: Callable[[], object] = lambda: None
        self.is_awaited = Event()

    def put(self, item: None, block: bool = True, timeout: float | None = None) -> None:
        super().put(item)
        then, self.after_put = self.after_put, lambda: None
        then()

    def get(self, block: bool = True, timeout: float | None = None) -> None:
        self.is_awaited.set()
        super().get(block, timeout)


@pytest.fixture
def tokens() -> Tokens:
    return Tokens()


@pytest.fixture
def wakeup(tokens: Tokens) -> Wakeup:
    wakeup = Wakeup()
    wakeup._tokens = tokens
    return wakeup


def test_what_is_set_before_the_wait_ends_it_at_once(wakeup: Wakeup) -> None:
    wakeup.set()
    wakeup.set()
    assert wakeup.is_set()
    assert [wakeup.wait(), wakeup.wait()] == [True, True]


def test_what_was_cleared_is_waited_for(wakeup: Wakeup) -> None:
    wakeup.set()
    wakeup.set()
    wakeup.clear()
    assert not wakeup.is_set()
    assert not wakeup.wait(0)


def test_a_thread_that_waits_again_before_it_was_wholly_set_can_be_woken(wakeup: Wakeup, tokens: Tokens) -> None:
    """A thread that sets it may be held up for as long as the other one takes to wake up, look and wait again."""
    waiting = Thread(target=wakeup.wait, daemon=True)

    def wake_look_and_wait() -> None:
        wakeup.clear()
        waiting.start()
        assert tokens.is_awaited.wait(PATIENCE)

    tokens.after_put = wake_look_and_wait
    wakeup.set()
    wakeup.set()
    waiting.join(PATIENCE)
    assert not waiting.is_alive()
