"""Keeps what is dear to read for some seconds: an open page is brought up to date twice a second."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from windlass import clock
from windlass.app import Windlass

T = TypeVar("T")


class Recent(Generic[T]):
    """What was read of each app within the last seconds."""

    def __init__(self, read: Callable[[Windlass], Awaitable[T]], *, seconds: float) -> None:
        self._read = read
        self._seconds = seconds
        self._kept: WeakKeyDictionary[Windlass, tuple[float, T]] = WeakKeyDictionary()

    async def of(self, app: Windlass) -> T:
        """Read it, unless that was done just now."""
        kept = self._kept.get(app)
        if kept is not None and clock.monotonic() - kept[0] < self._seconds:
            return kept[1]
        value = await self._read(app)
        self._kept[app] = clock.monotonic(), value
        return value
