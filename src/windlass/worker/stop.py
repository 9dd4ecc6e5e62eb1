"""The one stop of a worker, which its owner, the end of the program and other processes may all ask for."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock, get_ident

from windlass import clock
from windlass.active import running

_GONE_AFTER = 3.0
"""Seconds after the grace time when a later caller no longer waits: by then the worker is gone."""
_PIECE = 0.02

Urgency = Callable[[], bool]
"""Says, whenever it is asked, whether the grace time is over early."""


class Stop:
    """Calls ``act`` once, with the grace time in seconds; later callers wait for the first, and may hurry it."""

    def __init__(self, act: Callable[[float, Urgency], None]) -> None:
        self._act = act
        # Taken by the first and kept. Asked without waiting, so also a signal handler may ask in the middle of it.
        self._first = Lock()
        self._thread: int | None = None
        self._urgencies: list[Urgency] = []
        self._is_over = False

    @property
    def has_begun(self) -> bool:
        return self._first.locked()

    @property
    def is_over(self) -> bool:
        return self._is_over

    def __call__(self, *, grace: float, is_urgent: Urgency) -> None:
        """Stop, or wait for the stop that is under way."""
        if not self._first.acquire(blocking=False):
            self._follow(grace, is_urgent)
            return
        try:
            self._thread = get_ident()
            self._urgencies.append(is_urgent)
            self._act(grace, self._is_urgent)
        finally:
            self._is_over = True

    def _follow(self, grace: float, is_urgent: Urgency) -> None:
        if self._thread == get_ident() or running.get() is not None:
            return  # the first cannot go on before this returns: a signal handler in it, or a job that it waits for
        until = clock.monotonic() + grace
        self._urgencies.append(lambda: is_urgent() or clock.monotonic() >= until)
        while not self._is_over and clock.monotonic() < until + _GONE_AFTER:
            clock.sleep(_PIECE)

    def _is_urgent(self) -> bool:
        return any(is_urgent() for is_urgent in tuple(self._urgencies))
