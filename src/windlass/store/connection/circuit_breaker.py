"""Reaches a server that may be away: retries at first, then fails fast."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import TypeVar

from windlass import clock
from windlass.errors import StoreUnavailable
from windlass.forks import reset_in_child

T = TypeVar("T")

_FIRST_PAUSE = 0.05
_LONGEST_PAUSE = 1.0


_FAIR_CHANCE = 0.25
"""Seconds."""


class Away(Exception):
    """The server could not be reached; nothing was sent to it. The text says why."""


class LoginDenied(StoreUnavailable):
    """The server answers but denies the login; another try would be denied too."""


def fair_deadline(until: float) -> float:
    """The deadline of a new connection for a caller whose deadline is ``until``; both on the monotonic clock.

    An attempt that begins just before the end would only time out, and hide what the attempts before it have found.
    """
    return max(until, clock.monotonic() + _FAIR_CHANCE)


class CircuitBreaker:
    """Gates the attempts of one process to reach one server.

    A call that finds the server away tries again, with growing jittered pauses, until its deadline: a restart is over
    soon. Once a deadline has passed in vain the server counts as down. From then on calls fail at once, and about
    once a second one of them tries the server, once, for all.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._start()
        reset_in_child(self, CircuitBreaker._start)

    def _start(self) -> None:
        self._lock = RLock()  # a finaliser may make a call wherever it strikes
        self._down_since: float | None = None
        self._next_try = 0.0
        self._why = ""

    def reach(self, attempt: Callable[[], T], *, deadline: float) -> T:
        """The result of ``attempt``, which raises ``Away`` where it fails; ``StoreUnavailable`` at the deadline."""
        is_probe = self._down_since is not None and self._admit_probe()
        until = clock.monotonic() + deadline
        pause = _FIRST_PAUSE
        while True:
            try:
                reached = attempt()
            except Away as away:
                wait = pause * (0.5 + clock.roll())
                if is_probe or clock.monotonic() + wait >= until:
                    raise self._went_down(away) from away.__cause__
            else:
                self._down_since = None
                return reached
            clock.sleep(wait)
            pause = min(pause * 2, _LONGEST_PAUSE)

    def _admit_probe(self) -> bool:
        """True for the one caller that may try the server now; the others learn that it is away."""
        with self._lock:
            now = clock.monotonic()
            if self._down_since is None:
                return False
            if now < self._next_try:
                raise StoreUnavailable(f"{self._name}: {self._why}; out of reach for {now - self._down_since:.0f} s")
            self._next_try = now + _LONGEST_PAUSE
            return True

    def _went_down(self, away: Away) -> StoreUnavailable:
        with self._lock:
            now = clock.monotonic()
            self._why = str(away)
            if self._down_since is None:
                self._down_since = now
            self._next_try = now + _LONGEST_PAUSE * (0.75 + clock.roll() / 2)
        return StoreUnavailable(f"{self._name}: {away}")
