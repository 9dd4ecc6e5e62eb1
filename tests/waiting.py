"""Waiting for what another thread or process makes true."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from time import monotonic

PATIENCE = 60.0
"""Seconds; long enough for a machine that is busy with other things."""
_PAUSE = 0.005


def eventually(condition: Callable[[], object], what: str = "it comes true", *, seconds: float = PATIENCE) -> None:
    """Return as soon as it is so; the test fails when that takes too long."""
    assert has_come(condition, seconds=seconds), f"waited {seconds:g} s in vain: {what}"


def has_come(condition: Callable[[], object], *, seconds: float) -> bool:
    """Whether it comes true in time; returns as soon as it does."""
    deadline, pause = monotonic() + seconds, Event()
    while not condition():
        if monotonic() >= deadline:
            return False
        pause.wait(_PAUSE)
    return True
