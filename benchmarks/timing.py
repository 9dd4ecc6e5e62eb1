"""Timing loops. Imports nothing of Windlass, so that peers are timed by the same code."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

_PAUSE = (0.01, 0.04)


def jobs_per_second(enqueue: Callable[[int], int], *, seconds: float) -> float:
    """Call ``enqueue`` with growing numbers for so long; it says how many jobs it stored."""
    count, began = 0, time.perf_counter()
    until = began + seconds
    while time.perf_counter() < until:
        count += enqueue(count)
    return count / (time.perf_counter() - began)


def probe(send: Callable[[int], object], count: int) -> None:
    """Call ``send`` with the monotonic time in nanoseconds, now and then.

    The pauses are random, so that probes do not fall into step with anything that polls.
    """
    for _ in range(count):
        time.sleep(random.uniform(*_PAUSE))
        send(time.monotonic_ns())


_STEPS = 100_000


def machine_pace() -> float:
    """Steps of an empty loop in a second of CPU time of this thread.

    A virtual machine gets slower and faster with what its neighbours do, also while it never waits for a core.
    """
    began = time.thread_time()
    for _ in range(_STEPS):
        pass
    return _STEPS / max(time.thread_time() - began, 1e-6)
