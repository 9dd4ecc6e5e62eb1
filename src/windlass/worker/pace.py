"""How fast the jobs of each queue run, and so how many may be fetched ahead."""

from __future__ import annotations

from collections import deque
from math import inf

_HORIZON = 0.05
"""Seconds within which a job that is fetched ahead should start."""
_MOST = 200
_LEAST_RUNS = 20
_REMEMBERED = 64
_FORGOTTEN_AFTER = 60.0


class _TaskPace:
    __slots__ = ("allows", "is_barred", "last", "mean", "recent", "runs")

    def __init__(self) -> None:
        self.recent: deque[float] = deque(maxlen=_REMEMBERED)
        self.runs = 0
        self.mean = 0.0
        self.last = 0.0
        self.allows = False
        self.is_barred = False

    def start_anew(self) -> None:
        self.recent, self.runs, self.allows = deque(maxlen=_REMEMBERED), 0, False

    def add(self, seconds: float, now: float) -> None:
        self.is_barred = seconds == inf
        self.recent.append(seconds)
        self.runs += 1
        self.last = now
        if self.runs >= _LEAST_RUNS and (self.runs % 16 == 0 or self.runs == _LEAST_RUNS):
            ordered = sorted(self.recent)
            self.allows = ordered[int(len(ordered) * 0.95)] <= _HORIZON
            self.mean = sum(ordered) / len(ordered)


class Pace:
    """Learns run times and says how many jobs of a queue will start within the horizon.

    None for a queue in which a task was seen that has run fewer than 20 times, takes longer than the horizon at its
    95th percentile, or asked not to be fetched ahead.
    """

    def __init__(self, *, concurrency: int, is_on: bool = True) -> None:
        self._concurrency = concurrency
        self._is_on = is_on
        self._queues: dict[str, dict[str, _TaskPace]] = {}

    def observe(self, queue: str, task: str, seconds: float, *, now: float) -> None:
        """Note one run; ``seconds`` may be infinite for a task that must not be fetched ahead."""
        tasks = self._queues.get(queue)
        if tasks is None:
            tasks = self._queues.setdefault(queue, {})
        pace = tasks.get(task)
        if pace is None:
            pace = tasks.setdefault(task, _TaskPace())
        pace.add(seconds, now)

    def forget(self, queue: str) -> None:
        """What was measured does not hold any more."""
        for pace in tuple(self._queues.get(queue, {}).values()):
            pace.start_anew()

    def ahead(self, queue: str, *, now: float) -> int:
        """How many jobs of this queue may wait in the worker beyond those that run."""
        tasks = self._queues.get(queue)
        if not self._is_on or not tasks:
            return 0
        lately = [pace for pace in tuple(tasks.values()) if pace.is_barred or now - pace.last < _FORGOTTEN_AFTER]
        if not lately or not all(pace.allows for pace in lately):
            return 0
        slowest = max(pace.mean for pace in lately)
        return min(_MOST, int(_HORIZON * self._concurrency / max(slowest, 1e-6)))
