"""What many requests ask for at once, read once for all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Generic, TypeVar

from windlass import clock
from windlass.app import Windlass
from windlass.insight.overview import Overview
from windlass.insight.workers import WorkerView
from windlass.web.readings.reading import Reading

T = TypeVar("T")

SHARED_FOR = 0.5
"""Seconds for which a reading answers other requests too."""
_SHARE = 50
"""A reading that takes long answers requests for at least so many times as long: then it keeps the store busy for a
fiftieth of the time at most, however many ask.
"""


class SharedReading(Generic[T]):
    """Reads when it is asked, unless it has just been. Those who ask meanwhile wait for the same reading; with no
    ``seconds`` each reads for itself.
    """

    def __init__(self, read: Callable[[], Awaitable[T]], *, seconds: float, now: Callable[[], int] = clock.now) -> None:
        self._read = read
        self._now = now
        self._seconds = seconds
        self._last: Reading[T] | None = None
        self._until = 0.0
        """Until when the last one is good, on the monotonic clock."""
        self._under_way: asyncio.Task[Reading[T]] | None = None

    async def value(self) -> Reading[T]:
        """What was read a moment ago, or is read now; raises what the reading raises."""
        if not self._seconds:
            return await self._read_now()
        if self._last is not None and clock.monotonic() < self._until:
            return self._last
        reading = self._under_way = under_way(self._under_way, self._read_now)
        # A request that gives up ends its own wait, not the reading of the others.
        return await asyncio.shield(reading)

    def forget(self) -> None:
        """Something was changed: requests from now on are answered by a reading that began later."""
        self._last = self._under_way = None

    async def _read_now(self) -> Reading[T]:
        own, began, at = asyncio.current_task(), clock.monotonic(), clock.instant(self._now())
        value, now = await self._read(), clock.monotonic()
        until = max(began + self._seconds, now + _SHARE * (now - began))
        found = Reading(value, at, until - now)
        if self._under_way is own:  # else something was changed meanwhile
            self._last, self._until = found, until
        return found


class SharedReadings:
    """The readings that all requests of one server share."""

    def __init__(self, app: Windlass, *, seconds: float = SHARED_FOR) -> None:
        # By the clock that the store goes by.
        self._overview = SharedReading(lambda: app.aoverview(), seconds=seconds, now=app.client.now)
        self._workers = SharedReading(lambda: app.aworkers(), seconds=seconds, now=app.client.now)

    async def overview(self) -> Reading[Overview]:
        """Everything at a glance."""
        return await self._overview.value()

    async def workers(self) -> Reading[list[WorkerView]]:
        """All workers."""
        return await self._workers.value()

    def forget(self) -> None:
        """A request of this server has changed something."""
        self._overview.forget()
        self._workers.forget()


def under_way(reading: asyncio.Task[T] | None, read: Callable[[], Coroutine[Any, Any, T]]) -> asyncio.Task[T]:
    """The reading under way, which requests wait for together; a new one where there is none, or where it belongs to
    another event loop.
    """
    if reading is None or reading.done() or reading.get_loop() is not asyncio.get_running_loop():
        reading = asyncio.create_task(read())
        reading.add_done_callback(_seen)
    return reading


def _seen(reading: asyncio.Task[T]) -> None:
    """Take notice of what it raised, also when all who waited for it have gone."""
    if not reading.cancelled():
        reading.exception()
