"""Waiting for a condition that another thread makes true."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from time import monotonic


def until(condition: Callable[[], bool], *, seconds: float = 20) -> None:
    """Return as soon as it holds; fail when it does not come true in time."""
    deadline = monotonic() + seconds
    pause = Event()
    while not condition():
        assert monotonic() < deadline, "it did not come true in time"
        pause.wait(0.001)
