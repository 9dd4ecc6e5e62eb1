"""The one stop of a worker, however often it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from threading import get_ident

from windlass import clock
from windlass.active_job import running

_GONE_AFTER = 3.0
"""Seconds after the grace time when later callers no longer wait: by then the worker is gone."""
_PIECE = 0.02
_FIRST = "first"

Urgency = Callable[[], bool]
"""Returns whether the grace time is to end now."""


class Stop:
    """Calls ``act``, with the grace time in seconds; later callers wait for the first, and may hurry it.

    If an exception from outside ends the first call, as a second Ctrl-C does, the next one starts again.
    """

    def __init__(self, act: Callable[[float, Urgency], None]) -> None:
        self._act = act
        # Which call stops the worker, and on which thread. It is set in one step, after which an exception from outside
        # may strike; a call then recognises its own. A lock has no owner to compare, and a signal handler could wait
        # for itself.
        self._first: dict[str, tuple[int, object]] = {}
        self._urgencies: list[Urgency] = []
        self._is_over = False

    @property
    def has_begun(self) -> bool:
        return bool(self._first)

    @property
    def is_over(self) -> bool:
        return self._is_over

    def __call__(self, *, grace: float, is_urgent: Urgency) -> None:
        """Stop, or wait for the stop that is under way."""
        me = (get_ident(), object())
        try:
            first = self._first.setdefault(_FIRST, me)
            if first is me:
                self._urgencies.append(is_urgent)
                self._act(grace, self._is_urgent)
                self._is_over = True
            elif first[0] != me[0] and running.get() is None:
                self._follow(grace, is_urgent)
            # A call from a signal handler inside the first, or from a job that the first waits for, returns at once:
            # the first can go on only then.
        finally:
            if not self._is_over and self._first.get(_FIRST) is me:
                self._first.clear()

    def _follow(self, grace: float, is_urgent: Urgency) -> None:
        until = clock.monotonic() + grace
        self._urgencies.append(lambda: is_urgent() or clock.monotonic() >= until)
        while not self._is_over and clock.monotonic() < until + _GONE_AFTER:
            if not self._first:
                self(grace=max(0.0, until - clock.monotonic()), is_urgent=is_urgent)
                return
            clock.sleep(_PIECE)

    def _is_urgent(self) -> bool:
        return any(is_urgent() for is_urgent in tuple(self._urgencies))
