"""How many jobs to ask each queue for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from windlass.core.record import Claimed
from windlass.core.weights import SmoothWeights
from windlass.worker.pace import Pace

Rooms = list[tuple[str, int]]
NOTHING: Mapping[str, int] = {}


class Room:
    """Deals free slots to queues by weight, and lets queues of short jobs fill a small buffer ahead of time."""

    def __init__(self, weights: Mapping[str, int], *, concurrency: int, most: int, pace: Pace) -> None:
        self._declared = dict(weights)
        self._weights = SmoothWeights(weights)
        self._concurrency = concurrency
        self._most = most
        self._pace = pace
        self._empty: set[str] = set()
        self._unknown = set(weights)
        """Queues of which nobody can tell whether they have work: they were empty, and there was news since."""

    @property
    def queues(self) -> tuple[str, ...]:
        return self._weights.names

    @property
    def is_hopeful(self) -> bool:
        """Whether some queue may have work, as far as anybody knows."""
        return len(self._empty) < len(self._declared)

    def reweigh(self, weights: Mapping[str, int | None]) -> None:
        """Follow what operators have set; a weight that is taken back falls to what the worker was started with."""
        for name, declared in self._declared.items():
            self._weights.change(name, weights.get(name) or declared)

    def look_everywhere(self) -> None:
        """Forget which queues were empty: something may have come."""
        self._unknown |= self._empty
        self._empty.clear()

    def measure_anew(self, queues: Iterable[str]) -> None:
        """Fetch nothing ahead from these queues until their pace is known again."""
        for name in queues:
            self._pace.forget(name)

    def deal(self, *, in_flight: int, now: float, waiting_elsewhere: Mapping[str, int] = NOTHING) -> Rooms:
        """What to ask for now; nothing when there is no room or every queue is known to be empty.

        ``waiting_elsewhere``: how many jobs of each queue wait for something else than a slot. A few are looked past,
        for what may lie behind them; a queue that gives nothing else is left alone.
        """
        hopeful = [
            name
            for name in self._weights.names
            if name not in self._empty and waiting_elsewhere.get(name, 0) < self._concurrency
        ]
        if not hopeful:
            return []
        free = max(0, self._concurrency - in_flight)
        waiting = max(0, in_flight - self._concurrency)
        # While one queue that may have work cannot be fetched ahead, none is: what waits in the buffer would take the
        # slots that are its share, for as long as the others have work.
        ahead = min(self._pace.ahead(name, now=now) for name in hopeful)
        places = min(free + max(0, ahead - waiting), self._most)
        dealt = self._weights.deal(places, hopeful)
        if self._unknown:
            self._ask_unknown(dealt)
        return list(dealt.items())

    def learn(self, rooms: Rooms, claimed: Sequence[Claimed]) -> bool:
        """A queue that gave less than it was asked for is empty until there is news; whether others may have more."""
        self._unknown.difference_update(name for name, _ in rooms)
        if len(claimed) == sum(room for _, room in rooms):
            return False
        given = Counter(job.queue for job in claimed)
        self._empty.update(name for name, room in rooms if given[name] < room)
        return self.is_hopeful

    def _ask_unknown(self, dealt: dict[str, int]) -> None:
        """Ask those first of which nothing is known, for one job each: a light one that is empty would otherwise keep
        the others from fetching ahead until its turn comes.
        """
        for name in self._unknown - dealt.keys():
            known = [other for other in dealt if other not in self._unknown]
            if not known:
                return
            richest = max(known, key=dealt.__getitem__)
            dealt[richest] -= 1
            dealt[name] = 1
            if not dealt[richest]:
                del dealt[richest]
