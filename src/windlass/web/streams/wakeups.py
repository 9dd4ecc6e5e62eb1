"""Those who wait for the same thing, woken together."""

from __future__ import annotations

import asyncio


class Wakeups:
    """One future for each stream that waits: with a task for each, waking two hundred would cost more than reading."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Future[None]] = set()

    def wake(self) -> None:
        """Wake all who wait now."""
        waiting, self._waiting = self._waiting, set()
        for one in waiting:
            _wake(one)

    def add(self, one: asyncio.Future[None]) -> None:
        self._waiting.add(one)

    def discard(self, one: asyncio.Future[None]) -> None:
        self._waiting.discard(one)


async def woken(*by: Wakeups, seconds: float) -> None:
    """Wait until one of these wakes, or so many seconds are over."""
    loop = asyncio.get_running_loop()
    one: asyncio.Future[None] = loop.create_future()
    timer = loop.call_later(seconds, _wake, one)
    for wakeups in by:
        wakeups.add(one)
    try:
        await one
    finally:
        timer.cancel()
        for wakeups in by:
            wakeups.discard(one)


def _wake(one: asyncio.Future[None]) -> None:
    if not one.done():
        one.set_result(None)
