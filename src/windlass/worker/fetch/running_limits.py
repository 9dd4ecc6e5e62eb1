"""Limits on running jobs as a worker knows them: what they leave, and how much of them is its share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import ceil, log

import msgspec

from windlass import clock
from windlass.core.records import Claimed
from windlass.store.operations.cycle import LimitState
from windlass.store.operations.leases import PAUSE, WorkerRecord
from windlass.store.operations.queues import ALL

_PATIENCE = 0.25
"""Seconds for which a worker leaves room beyond its share to the others; what they do not take is used after that."""
_COUNT_EVERY = 2.0
"""Seconds between two counts of the workers that share a limit."""


class RunningLimits:
    """The store enforces limits; this decides what to ask for under them.

    A worker with its share of a limited queue, or more, leaves room to the other workers that serve the queue, so that
    a worker that joins soon has its share. ``share_among`` may be called from any thread, the rest from the pump's.
    """

    def __init__(self) -> None:
        self._known: dict[str, LimitState] = {}
        self._held_back: set[str] = set()
        """Queues that gave less than was asked for, under a limit that was reached."""
        self._sharers: Mapping[str, int] = {}
        """How many workers serve each queue; of the app, how many there are."""
        self._beyond_since: dict[str, float] = {}
        """Since when the worker asks for less because it has its share."""
        self._counted = float("-inf")
        self.asks_again_at: float | None = None
        """When to ask for what is beyond the share, on the monotonic clock."""

    @property
    def is_shared(self) -> bool:
        """Whether other workers serve a queue with a limit."""
        return any(self._sharers.get(name, 1) > 1 for name in tuple(self._known))

    def hold_for(self, queues: Collection[str]) -> bool:
        """Whether jobs of these queues run under a limit, and so must not wait in a buffer."""
        return bool(self._known) and (ALL in self._known or not self._known.keys().isdisjoint(queues))

    def note(
        self, requests: Sequence[tuple[str, int]], claimed: Sequence[Claimed], limits: Iterable[LimitState]
    ) -> None:
        """Take in what a cycle asked for, what it got, and the limits that it met."""
        met = {state.name: state for state in limits}
        if requests and (met or self._known):
            touched = {ALL, *(name for name, _ in requests)}
            self._known = {name: state for name, state in self._known.items() if name not in touched}
            self._beyond_since = {name: since for name, since in self._beyond_since.items() if name not in touched}
        # Nearly every cycle is about queues without a limit, though another queue may have one.
        if met or not self._held_back.isdisjoint(name for name, _ in requests):
            self._known |= met
            self._note_held_back(requests, claimed)

    def _note_held_back(self, requests: Sequence[tuple[str, int]], claimed: Sequence[Claimed]) -> None:
        if len(claimed) == sum(asked for _, asked in requests):
            self._held_back.difference_update(name for name, _ in requests)
            return
        given = Counter(job.queue for job in claimed)
        for name, asked in requests:
            if given[name] < asked and (self._is_reached(name) or self._is_reached(ALL)):
                self._held_back.add(name)
            else:
                self._held_back.discard(name)

    def _is_reached(self, name: str) -> bool:
        state = self._known.get(name)
        return state is not None and state.running >= state.max_running

    def make_room(self, queues: Collection[str]) -> set[str]:
        """Runs of these queues have ended here; the queues of which more may be claimed for that."""
        if not self._held_back:
            return set()
        return self._held_back if ALL in self._known else self._held_back.intersection(queues)

    def has_made_room(self, ended: Iterable[Claimed], claimed: Iterable[Claimed]) -> bool:
        """Whether the endings of the last cycle have left room under a limit that was reached before."""
        below = [state for state in self._known.values() if state.running < state.max_running]
        if not below:
            return False
        freed = Counter(job.queue for job in ended)
        freed.subtract(job.queue for job in claimed)
        freed[ALL] = freed.total()
        return any(state.max_running <= state.running + freed[state.name] for state in below)

    # Shares.

    def wants_count(self, now: float) -> bool:
        """Whether it is time to count the workers that share a limit."""
        if not self._known or now - self._counted < _COUNT_EVERY:
            return False
        self._counted = now
        return True

    def share_among(self, workers: Sequence[WorkerRecord]) -> None:
        """Take in which workers there are."""
        serving: Counter[str] = Counter()
        for worker in workers:
            queues = _served(worker)
            # A process without queues does duties only.
            if queues and worker.is_alive and worker.state not in ("paused", "draining") and worker.signal != PAUSE:
                serving.update({ALL, *queues})
        self._sharers = serving

    def within_share(self, dealt: dict[str, int], own: Mapping[str, int], *, now: float) -> dict[str, int]:
        """What to ask for of what was dealt; ``own`` is how many jobs of each queue the worker has."""
        self.asks_again_at = None
        asked = {name: self._within(name, number, own.get(name, 0), now) for name, number in dealt.items()}
        left = self._within(ALL, sum(asked.values()), sum(own.values()), now)
        for name, number in asked.items():
            asked[name] = min(number, left)
            left -= asked[name]
        return {name: number for name, number in asked.items() if number}

    def _within(self, name: str, wanted: int, own: int, now: float) -> int:
        state, sharers = self._known.get(name), self._sharers.get(name, 1)
        if state is None or sharers <= 1:
            return wanted
        left = max(0, ceil(state.max_running / sharers) - own)
        if wanted <= left:
            return wanted
        due = self._beyond_since.setdefault(name, now) + _PATIENCE
        if now >= due:
            return wanted
        self.asks_again_at = due if self.asks_again_at is None else min(due, self.asks_again_at)
        return left

    def in_order(self, dealt: Mapping[str, int]) -> list[tuple[str, int]]:
        """In which order to ask queues: under a limit of the app the first get what there is, so each comes first as
        often as its part says.
        """
        if ALL not in self._known or len(dealt) < 2:
            return list(dealt.items())
        return sorted(dealt.items(), key=lambda each: -log(1.0 - clock.roll()) / each[1])


class _Report(msgspec.Struct):
    """What is read of a worker's report."""

    queues: list[str] = []


def _served(worker: WorkerRecord) -> list[str]:
    try:
        return msgspec.json.decode(worker.info, type=_Report).queues
    except msgspec.DecodeError:  # what a worker says of itself is data of the store, and may be damaged
        return []
