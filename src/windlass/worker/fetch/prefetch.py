"""How fast the jobs of each queue run, and so how many to fetch ahead."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from math import inf
from typing import Protocol

_HORIZON = 0.05
"""Seconds within which a job that is fetched ahead should start."""
_MOST = 400
"""Two to four claims: while the store answers one, the executors have the jobs of another."""
_LEAST_RUNS = 20
_REMEMBERED = 64
_POOLED = 256
_FORGOTTEN_AFTER = 60.0


class Prefetch(Protocol):
    """Learns run times and says how many jobs of some queues will start within the horizon."""

    def observe(self, queue: str, task: str, seconds: float, *, now: float) -> None:
        """Take in one run; ``seconds`` is infinite for a task that must not be fetched ahead."""

    def forget(self, queue: str) -> None:
        """Forget what was measured."""

    def ahead(self, queues: Collection[str], *, now: float) -> int:
        """How many jobs may wait in the worker beyond those that run, if all of these queues may have work.

        While one of them cannot be fetched ahead, none is: what waits in the buffer would take the slots that are its
        share, for as long as the others have work.
        """


class NoPrefetch:
    """Nothing is fetched ahead."""

    def observe(self, queue: str, task: str, seconds: float, *, now: float) -> None:
        pass

    def forget(self, queue: str) -> None:
        pass

    def ahead(self, queues: Collection[str], *, now: float) -> int:
        return 0


class _TaskSpeed:
    __slots__ = ("allows", "is_barred", "last", "mean", "recent", "runs")

    def __init__(self, *, remembered: int = _REMEMBERED) -> None:
        self.recent: deque[float] = deque(maxlen=remembered)
        self.runs = 0
        self.mean = 0.0
        self.last = 0.0
        self.allows = False
        self.is_barred = False

    def reset(self) -> None:
        self.recent, self.runs, self.allows = deque(maxlen=self.recent.maxlen), 0, False

    def add(self, seconds: float, now: float) -> None:
        self.is_barred = seconds == inf
        self.recent.append(seconds)
        self.runs += 1
        self.last = now
        if self.runs >= _LEAST_RUNS and (self.runs % 16 == 0 or self.runs == _LEAST_RUNS):
            ordered = sorted(self.recent)
            self.allows = ordered[int(len(ordered) * 0.95)] <= _HORIZON
            self.mean = sum(ordered) / len(ordered)


class PrefetchByQueue:
    """Measures each task in each queue: for a worker of a few queues.

    Nothing is fetched ahead from a queue in which a task was seen that has run fewer than 20 times, takes longer than
    the horizon at its 95th percentile, or asked not to be fetched ahead.
    """

    def __init__(self, *, concurrency: int) -> None:
        self._concurrency = concurrency
        self._queues: dict[str, dict[str, _TaskSpeed]] = {}

    def observe(self, queue: str, task: str, seconds: float, *, now: float) -> None:
        tasks = self._queues.get(queue)
        if tasks is None:
            tasks = self._queues.setdefault(queue, {})
        speed = tasks.get(task)
        if speed is None:
            speed = tasks.setdefault(task, _TaskSpeed())
        speed.add(seconds, now)

    def forget(self, queue: str) -> None:
        for speed in tuple(self._queues.get(queue, {}).values()):
            speed.reset()

    def ahead(self, queues: Collection[str], *, now: float) -> int:
        return min((self._ahead(queue, now=now) for queue in queues), default=0)

    def _ahead(self, queue: str, *, now: float) -> int:
        tasks = self._queues.get(queue)
        if not tasks:
            return 0
        lately = [speed for speed in tuple(tasks.values()) if speed.is_barred or now - speed.last < _FORGOTTEN_AFTER]
        if not lately or not all(speed.allows for speed in lately):
            return 0
        return _startable(self._concurrency, max(speed.mean for speed in lately))


class PooledPrefetch:
    """Measures all runs together: for a worker of many queues, most of which run too little to be judged alone.

    Nothing is fetched ahead before 20 runs, while more than one in twenty of the latest took longer than the horizon,
    or while a queue may have work in which a task was seen that asked not to be fetched ahead. A queue whose jobs take
    longer than the rest gets its share of what is fetched ahead like the others.
    """

    def __init__(self, *, concurrency: int) -> None:
        self._concurrency = concurrency
        self._all = _TaskSpeed(remembered=_POOLED)
        self._barred: set[str] = set()

    def observe(self, queue: str, task: str, seconds: float, *, now: float) -> None:
        if seconds == inf:
            self._barred.add(queue)
        else:
            self._all.add(seconds, now)

    def forget(self, queue: str) -> None:
        self._all.reset()

    def ahead(self, queues: Collection[str], *, now: float) -> int:
        if not self._all.allows or any(queue in queues for queue in tuple(self._barred)):
            return 0
        return _startable(self._concurrency, self._all.mean)


def _startable(concurrency: int, mean: float) -> int:
    """How many runs of this mean length begin within the horizon."""
    return min(_MOST, int(_HORIZON * concurrency / max(mean, 1e-6)))
