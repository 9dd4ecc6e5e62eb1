"""Reads again and again for those who listen, and only while there are some."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from windlass import clock
from windlass.web.streams.streams import Streams
from windlass.web.streams.wakeups import Wakeups, woken

EVERY = 0.5
"""Seconds between two readings."""
KEEP_ALIVE = 15.0
"""Seconds without news after which a sign of life is sent."""
LONGEST = 600.0
"""Seconds after which a stream ends; the client opens another, and shows again who it is."""
_SHARE = 10
"""A reading that takes long, the sending of what is new included, is made less often: the pause is at least so many
times as long.
"""
_LONGEST_PAUSE = 10.0
"""The longest pause, in seconds: a reading that waited for an absent store took long, and the store may be back."""


class Reads(Protocol):
    """What a reader does."""

    async def read(self) -> bool:
        """Read once; whether there is news."""


class Reader:
    """Reads for all who listen. ``number`` grows with news."""

    def __init__(self, reads: Reads, *, every: float = EVERY, share: int = _SHARE) -> None:
        self._reads = reads
        self._every = every
        self._share = share
        self._wakeups = Wakeups()
        self._task: asyncio.Task[None] | None = None
        self.listeners = 0
        self.number = 0

    @property
    def is_over(self) -> bool:
        """Whether it has failed: what a reading raises is a defect, and ends all streams of it."""
        return self._task is not None and self._task.done()

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Have it read for the length of a block."""
        self.listeners += 1
        if self._task is None:
            self._task = asyncio.create_task(self._run())
            self._task.add_done_callback(lambda _: self._wakeups.wake())
        try:
            yield
        finally:
            self.listeners -= 1
            if self.listeners == 0:
                self._task.cancel()
                self._task = None

    async def wait(self, streams: Streams, seconds: float) -> None:
        """Until there is news, the reader or the server has ended, or so many seconds are over."""
        if not (streams.ended.is_set() or self.is_over):
            await woken(self._wakeups, streams.wakeups, seconds=seconds)

    async def _run(self) -> None:
        while True:
            began = clock.monotonic()
            if await self._reads.read():
                self.number += 1
                self._wakeups.wake()
                await clock.asleep(0)  # those who listen send it meanwhile, and what that takes counts as well
            await clock.asleep(max(self._every, min(self._share * (clock.monotonic() - began), _LONGEST_PAUSE)))


class Listening:
    """One stream of a reader, from its beginning to its end."""

    def __init__(self, reader: Reader, streams: Streams, *, seconds: float = LONGEST) -> None:
        self._reader = reader
        self._streams = streams
        self._until = clock.monotonic() + seconds
        self._seen: int | None = None

    async def news(self) -> bool | None:
        """True when there may be news, at once for the first time; False, as a sign of life, when there was none for a
        while; None when the stream is over.
        """
        reader = self._reader
        left = self._until - clock.monotonic()
        if self._seen is not None and left > 0 and reader.number == self._seen:
            await reader.wait(self._streams, min(left, KEEP_ALIVE))
        if self._streams.ended.is_set() or reader.is_over or (self._seen is not None and left <= 0):
            return None
        is_new, self._seen = reader.number != self._seen, reader.number
        return is_new
