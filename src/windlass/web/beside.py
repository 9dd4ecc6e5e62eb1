"""Reads beside the requests, once for all who look, what takes longer the more jobs there are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from windlass import clock
from windlass.client.session import Session
from windlass.store.operation import Operation

T = TypeVar("T")

_LEAST = 1.0
_REST = 20
"""How many times as long as a reading has taken the store is left alone after it."""
_PATIENCE = 60.0
"""Seconds after which a reading that was begun is taken for lost."""


@dataclass(frozen=True, slots=True)
class Reading(Generic[T]):
    """What was read, and when."""

    value: T
    at: datetime
    apart: float
    """Seconds until the next one."""


class Beside(Generic[T]):
    """The last reading. The next is made on a store thread when it is asked for: a second later, or so much later that
    all of them keep the store busy for a twentieth of the time.
    """

    def __init__(self, read: Callable[[], Operation[T]]) -> None:
        self._read = read
        self._last: Reading[T] | None = None
        self._next = 0.0
        """When to read again, on the monotonic clock."""

    def last(self, session: Session) -> Reading[T] | None:
        """None before the first; nothing is waited for."""
        if clock.monotonic() >= self._next:
            self._next = clock.monotonic() + _PATIENCE
            session.run_later(self._reading())
        return self._last

    def _reading(self) -> Operation[None]:
        began, at, apart = clock.monotonic(), clock.instant(clock.now()), _PATIENCE
        try:
            value = yield from self._read()
            apart = max(_LEAST, (clock.monotonic() - began) * _REST)
            self._last = Reading(value, at, apart)
        finally:
            self._next = clock.monotonic() + apart
