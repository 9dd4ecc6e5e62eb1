"""Readings that take longer the more jobs there are: made in the background, once for all pages that show them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from windlass import clock
from windlass.client.session import Session
from windlass.store.operation import Operation
from windlass.web.readings.reading import Reading

T = TypeVar("T")

_LEAST = 1.0
_REST = 50
"""The pause after a reading, as a multiple of the time that the reading took."""
_PATIENCE = 60.0
"""Seconds after which a reading that has not ended counts as failed, and another is begun."""


class BackgroundReading(Generic[T]):
    """The last reading. The next is made on a store thread when it is asked for: a second later, or so much later that
    all of them keep the store busy for a fiftieth of the time.
    """

    def __init__(self, read: Callable[[], Operation[T]]) -> None:
        self._read = read
        self._last: Reading[T] | None = None
        self._next = 0.0
        """When to read again, on the monotonic clock."""

    def last(self, session: Session) -> Reading[T] | None:
        """The newest reading, or None before the first. It does not wait: a reading that is begun here is for later
        requests.
        """
        last = self._last
        if clock.monotonic() >= self._next:
            self._next = clock.monotonic() + _PATIENCE
            session.run_later(self._reading())
        return last

    def _reading(self) -> Operation[None]:
        began, at, apart = clock.monotonic(), clock.instant(clock.now()), _PATIENCE
        try:
            value = yield from self._read()
            apart = max(_LEAST, (clock.monotonic() - began) * _REST)
            self._last = Reading(value, at, apart)
        finally:
            self._next = clock.monotonic() + apart
