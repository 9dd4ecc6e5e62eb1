"""The only place that reads the time, sleeps, or draws a random number."""

from __future__ import annotations

import os
import random
import time
from datetime import UTC, datetime
from threading import Event, Lock

from windlass.threads.wakeup import Wakeup


def now() -> int:
    """Milliseconds since 1970, UTC."""
    return time.time_ns() // 1_000_000


def monotonic() -> float:
    """Seconds on a clock that never steps; only differences mean something."""
    return time.monotonic()


def sleep(seconds: float) -> None:
    """Block the calling thread."""
    time.sleep(seconds)


async def asleep(seconds: float) -> None:
    """``sleep`` for async code."""
    import asyncio  # a sixth of our start-up, for sync programs in vain

    await asyncio.sleep(seconds)


def wait(event: Event | Wakeup, seconds: float | None) -> bool:
    """Block until the event is set or the time is over; true if it was set."""
    return event.wait(seconds)


def acquire(lock: Lock, seconds: float) -> bool:
    """Block until the lock is ours or the time is over; true if it is ours."""
    return lock.acquire(timeout=seconds)


def roll() -> float:
    """A random number in [0, 1), for jitter."""
    return random.random()


def random_bits(count: int) -> int:
    """Random bits that cannot be guessed."""
    return int.from_bytes(os.urandom((count + 7) // 8)) >> (-count % 8)


def instant(milliseconds: int) -> datetime:
    """An aware ``datetime`` for a stored instant; for one that no calendar has, in a damaged job, the nearest."""
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.min.replace(tzinfo=UTC) if milliseconds < 0 else datetime.max.replace(tzinfo=UTC)


def instant_or_none(milliseconds: int | None) -> datetime | None:
    """``instant`` for a column that may be empty."""
    return None if milliseconds is None else instant(milliseconds)


def iso(moment: datetime | None) -> str | None:
    """An instant as text: ISO 8601 in UTC, to the millisecond."""
    return None if moment is None else moment.isoformat(timespec="milliseconds")
