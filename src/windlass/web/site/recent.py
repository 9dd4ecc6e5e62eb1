"""Keeps what is dear to read for some seconds: an open page is brought up to date twice a second."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from windlass import clock
from windlass.app import Windlass

T = TypeVar("T")

_MOST = 200
"""How many things are kept of each app."""


class Recent(Generic[T]):
    """What was read of each app within the last seconds; ``about`` tells several things of one app apart."""

    def __init__(self, read: Callable[..., Awaitable[T]], *, seconds: float) -> None:
        self._read = read
        self._seconds = seconds
        self._kept: WeakKeyDictionary[Windlass, dict[tuple[str, ...], tuple[float, T]]] = WeakKeyDictionary()

    async def of(self, app: Windlass, *about: str) -> T:
        """Read it, unless that was done just now."""
        kept = self._kept.setdefault(app, {})
        found = kept.get(about)
        if found is not None and clock.monotonic() - found[0] < self._seconds:
            return found[1]
        value = await self._read(app, *about)
        kept.pop(about, None)
        kept[about] = clock.monotonic(), value
        while len(kept) > _MOST:
            del kept[next(iter(kept))]
        return value
