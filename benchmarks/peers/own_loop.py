"""An event loop on a thread of its own, for peers whose workers and clients are coroutines."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")

NewLoop = Callable[[], asyncio.AbstractEventLoop]


@contextmanager
def own_loop(new: NewLoop = asyncio.new_event_loop) -> Iterator[asyncio.AbstractEventLoop]:
    """A loop that runs until the block ends."""
    loop = new()
    thread = Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield loop
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def wait_for(loop: asyncio.AbstractEventLoop, coroutine: Coroutine[Any, Any, T]) -> T:
    """Have a coroutine run on that loop."""
    return asyncio.run_coroutine_threadsafe(coroutine, loop).result()
