"""Bounds how often a client may ask, and how often it may guess."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable

from windlass import clock
from windlass.web.problems import Problem

MOST_CLIENTS = 10_000
"""So many are counted at once; of more, those that have not come for longest are forgotten."""


class ClientBuckets:
    """A token bucket for each client: ``burst`` at once, then ``rate`` a second."""

    def __init__(
        self,
        *,
        rate: float,
        burst: int,
        most: int = MOST_CLIENTS,
        monotonic: Callable[[], float] = clock.monotonic,
    ) -> None:
        self._rate = rate
        self._burst = burst
        self._most = most
        self._monotonic = monotonic
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._buckets)

    def wait(self, client: str) -> float:
        """After how many seconds there is a token for this client; 0 if there is one."""
        return max(0.0, (1 - self._level(client)) / self._rate)

    def take(self, client: str) -> None:
        """Take a token, if there is one."""
        level = self._level(client)
        self._buckets[client] = (max(0.0, level - 1), self._monotonic())
        self._buckets.move_to_end(client)
        while len(self._buckets) > self._most:
            self._buckets.popitem(last=False)

    def require(self, client: str, detail: str) -> None:
        """A ``Problem`` 429 where there is no token for this client."""
        wait = self.wait(client)
        if wait > 0:
            raise Problem(429, "Too many requests", detail, headers={"Retry-After": str(math.ceil(wait))})

    def _level(self, client: str) -> float:
        level, at = self._buckets.get(client, (float(self._burst), 0.0))
        return min(float(self._burst), level + (self._monotonic() - at) * self._rate)


class RecentKeys:
    """Texts that were accepted lately, each remembered for a while; bounded in number."""

    def __init__(self, *, seconds: float, most: int, monotonic: Callable[[], float] = clock.monotonic) -> None:
        self._seconds = seconds
        self._most = most
        self._monotonic = monotonic
        self._until: OrderedDict[str, float] = OrderedDict()

    def __contains__(self, key: str) -> bool:
        return self._until.get(key, 0.0) > self._monotonic()

    def add(self, key: str) -> None:
        self._until[key] = self._monotonic() + self._seconds
        self._until.move_to_end(key)
        while len(self._until) > self._most:
            self._until.popitem(last=False)

    def discard(self, key: str) -> None:
        self._until.pop(key, None)
