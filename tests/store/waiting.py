"""Waiting for a condition that another thread makes true."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from time import monotonic


def until(condition: Callable[[], bool], *, seconds: float = 20) -> None:
    """Return as soon as it holds; fail when it does not come true in time."""
    assert has_come(condition, seconds=seconds), "it did not come true in time"


def has_come(condition: Callable[[], bool], *, seconds: float) -> bool:
    """Whether it comes true in time; as soon as it does."""
    deadline = monotonic() + seconds
    pause = Event()
    while not condition():
        if monotonic() >= deadline:
            return False
        pause.wait(0.001)
    return True
