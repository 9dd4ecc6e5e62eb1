"""Caches for some seconds what is expensive to read: an open page is brought up to date twice a second."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from windlass import clock
from windlass.app import Windlass
from windlass.web.readings.shared_reading import under_way

T = TypeVar("T")

_MOST = 200
"""How many readings are kept of each app."""


class Recent(Generic[T]):
    """A cache of what was read of each app within the last seconds; ``about`` tells readings of one app apart."""

    def __init__(self, read: Callable[..., Awaitable[T]], *, seconds: float) -> None:
        self._read = read
        self._seconds = seconds
        self._kept: WeakKeyDictionary[Windlass, dict[tuple[str, ...], tuple[float, T]]] = WeakKeyDictionary()
        self._readings: WeakKeyDictionary[Windlass, dict[tuple[str, ...], asyncio.Task[T]]] = WeakKeyDictionary()

    async def of(self, app: Windlass, *about: str) -> T:
        """Read it, unless that was done just now."""
        kept = self._kept.setdefault(app, {})
        found = kept.get(about)
        if found is not None and clock.monotonic() - found[0] < self._seconds:
            return found[1]
        # A reading goes on when its request is over, so that the next one finds it; requests at once share it.
        readings = self._readings.setdefault(app, {})
        reading = readings[about] = under_way(readings.get(about), lambda: self._keep(app, about))
        try:
            return await asyncio.shield(reading)
        finally:
            if reading.done() and readings.get(about) is reading:
                del readings[about]

    async def _keep(self, app: Windlass, about: tuple[str, ...]) -> T:
        value = await self._read(app, *about)
        kept = self._kept.setdefault(app, {})
        kept.pop(about, None)
        kept[about] = clock.monotonic(), value
        while len(kept) > _MOST:
            del kept[next(iter(kept))]
        return value
