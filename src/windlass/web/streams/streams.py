"""All event streams of a server: how many there may be, and how they end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar, cast
from weakref import WeakKeyDictionary

from windlass.web.problems import Problem
from windlass.web.streams.wakeups import Wakeups

MOST = 200
"""How many streams a process has at the most; browsers poll then."""

R = TypeVar("R")


class Streams:
    """The streams of one event loop, which is one server, and the readers that they share."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self.count = 0
        self.readers: dict[object, object] = {}
        self.ended = asyncio.Event()
        """Set when the server stops: streams end by themselves then."""
        self.wakeups = Wakeups()
        """Of all streams, when that happens."""

    def reader(self, key: object, make: Callable[[], R]) -> R:
        """What all streams of this key share; made for the first of them."""
        if key not in self.readers:
            self.readers[key] = make()
        return cast(R, self.readers[key])

    @contextmanager
    def place(self) -> Iterator[None]:
        """One stream, for the length of a block; a problem where there is no room for one more."""
        self._check()
        self.count += 1
        try:
            yield
        finally:
            self.count -= 1

    def end(self) -> None:
        """End all streams, and allow no more."""
        self.ended.set()
        self.wakeups.wake()

    def _check(self) -> None:
        if self.count >= self._most or self.ended.is_set():
            detail = f"this server has {self._most} event streams already; poll, or come back later"
            raise Problem(503, "Too many streams", detail, headers={"Retry-After": "30"})


_STREAMS: WeakKeyDictionary[asyncio.AbstractEventLoop, Streams] = WeakKeyDictionary()


def streams_here() -> Streams:
    """Those of the server that runs in this event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _STREAMS:
        _STREAMS[loop] = Streams()
    return _STREAMS[loop]
