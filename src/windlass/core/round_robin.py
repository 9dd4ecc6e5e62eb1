"""Smooth weighted round robin: fair shares without bursts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, KeysView, Mapping
from heapq import heapify, heappop, heappush, heapreplace
from typing import Protocol

_GOLDEN = 0.6180339887498949
"""Multiples of it, without their whole part, never bunch: names of equal weight begin at places that lie apart."""
_SLACK = 64


class Room(Protocol):
    """A bound on what each name gets, besides its share; ``take`` is called for each place that is dealt."""

    def admits(self, name: str) -> bool:
        """Whether this name may have another place."""

    def take(self, name: str) -> None:
        """Give it one."""


class SmoothWeights:
    """Shares places among the names that contend, in proportion to their weights, as evenly as possible.

    A place costs about the same beside ten contenders and beside ten thousand.

    >>> weights = SmoothWeights({"mail": 3, "default": 1})
    >>> weights.join(weights.names)
    >>> weights.deal(8)
    {'mail': 6, 'default': 2}
    """

    # Each name is due at instants of a time of its own, 1 / weight apart; places go to the name that is due first. So
    # in each unit of that time a name gets as many places as its weight says.

    def __init__(self, weights: Mapping[str, int]) -> None:
        self._weights = dict(weights)
        self._due = {name: (number * _GOLDEN % 1.0 or 1.0) / weight for number, (name, weight) in _numbered(weights)}
        self._now = 0.0
        self._entries: dict[str, int] = {}
        """The number of each contender's entry in the heap; entries with other numbers are void."""
        self._heap: list[tuple[float, int, str]] = []
        self._number = 0

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._weights)

    @property
    def contenders(self) -> KeysView[str]:
        return self._entries.keys()

    def change(self, name: str, weight: int) -> None:
        """Give a name another weight from now on."""
        before = self._weights.get(name)
        if before is None or before == weight:
            return
        self._weights[name] = weight
        self._due[name] = self._now + max(0.0, self._due[name] - self._now) * before / weight
        if name in self._entries:
            self._enter(name)

    def join(self, names: Iterable[str]) -> None:
        """Let names contend from now on. A name gets no credit for the time in which it did not contend."""
        for name in names:
            if name not in self._entries:
                self._enter(name)

    def leave(self, names: Iterable[str]) -> None:
        """Deal these names nothing until they join again."""
        for name in names:
            self._entries.pop(name, None)
        if len(self._heap) > 2 * len(self._entries) + _SLACK:
            self._heap = [entry for entry in self._heap if self._entries.get(entry[2]) == entry[1]]
            heapify(self._heap)

    def deal(
        self, places: int, *, turn: int = 1, without: Collection[str] = (), room: Room | None = None
    ) -> dict[str, int]:
        """How many of ``places`` go to each contender; those that get none, and those in ``without``, are left out.

        ``turn`` is how many a name gets at once: with larger turns fewer names have one, and the next comes later.
        Where there is a ``room`` they are dealt one by one, to names that it admits.
        """
        dealt: dict[str, int] = {}
        passed: list[str] = []
        heap, entries = self._heap, self._entries
        while places > 0 and heap:
            due, number, name = heap[0]
            if entries.get(name) != number:
                heappop(heap)
            elif name in without or not (room is None or room.admits(name)):
                heappop(heap)
                passed.append(name)
            else:
                share = 1 if room is not None else places if len(entries) == 1 else min(turn, places)
                if room is not None:
                    room.take(name)
                places -= share
                dealt[name] = dealt.get(name, 0) + share
                stride = 1 / self._weights[name]
                self._now = max(self._now, due + (share - 1) * stride)
                self._due[name] = due + share * stride
                heapreplace(heap, (self._due[name], number, name))
        for name in passed:
            self._enter(name)
        return dealt

    def _enter(self, name: str) -> None:
        behind = self._now - self._due[name]
        if behind > 0:
            stride = 1 / self._weights[name]
            self._due[name] += (behind // stride + 1) * stride  # it comes back in step with itself
        self._number += 1
        self._entries[name] = self._number
        heappush(self._heap, (self._due[name], self._number, name))


def _numbered(weights: Mapping[str, int]) -> Iterable[tuple[int, tuple[str, int]]]:
    return enumerate(weights.items(), 1)
