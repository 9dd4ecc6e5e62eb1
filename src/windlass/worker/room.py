"""How many jobs to ask each queue for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from windlass.core.record import Claimed
from windlass.core.weights import SmoothWeights
from windlass.worker.pace import Pace

Rooms = list[tuple[str, int]]


class Room:
    """Deals free slots to queues by weight, and lets queues of short jobs fill a small buffer ahead of time."""

    def __init__(self, weights: Mapping[str, int], *, concurrency: int, most: int, pace: Pace) -> None:
        self._declared = dict(weights)
        self._weights = SmoothWeights(weights)
        self._concurrency = concurrency
        self._most = most
        self._pace = pace
        self._empty: set[str] = set()

    @property
    def queues(self) -> tuple[str, ...]:
        return self._weights.names

    def reweigh(self, weights: Mapping[str, int | None]) -> None:
        """Follow what operators have set; a weight that is taken back falls to what the worker was started with."""
        for name, declared in self._declared.items():
            self._weights.change(name, weights.get(name) or declared)

    def look_everywhere(self) -> None:
        """Forget which queues were empty: something may have come."""
        self._empty.clear()

    def deal(self, *, in_flight: int, now: float) -> Rooms:
        """What to ask for now; nothing when there is no room or every queue is known to be empty."""
        hopeful = [name for name in self._weights.names if name not in self._empty]
        if not hopeful:
            return []
        dealt = self._weights.deal(max(0, min(self._concurrency - in_flight, self._most)), hopeful)
        ahead = {name: self._pace.ahead(name, now=now) for name in hopeful}
        quick = [name for name, allowed in ahead.items() if allowed]
        if quick:
            waiting = in_flight + sum(dealt.values()) - self._concurrency
            spare = min(min(ahead[name] for name in quick) - max(0, waiting), self._most - sum(dealt.values()))
            for name, extra in self._weights.deal(max(0, spare), quick).items():
                dealt[name] = dealt.get(name, 0) + extra
        return list(dealt.items())

    def learn(self, rooms: Rooms, claimed: Sequence[Claimed]) -> None:
        """A queue that gave less than it was asked for is empty until there is news."""
        if len(claimed) < sum(room for _, room in rooms):
            given = Counter(job.queue for job in claimed)
            self._empty.update(name for name, room in rooms if given[name] < room)
