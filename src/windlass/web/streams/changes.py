"""The one reader of a store for all who listen to the API."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from windlass import clock
from windlass.app import Windlass
from windlass.web.problems import problem_of
from windlass.web.streams.event import Change
from windlass.web.streams.feeds import (
    ALERTS,
    JOBS,
    QUEUES,
    SCHEDULES,
    WORKERS,
    Feed,
    alert_feed,
    queue_feed,
    schedule_feed,
    worker_feed,
)
from windlass.web.streams.job_feed import JobFeed
from windlass.web.streams.reader import Reader
from windlass.web.streams.ring import Ring
from windlass.web.streams.streams import Streams

FEEDS: Mapping[str, Callable[[Windlass], Feed]] = {
    JOBS: JobFeed,
    QUEUES: queue_feed,
    WORKERS: worker_feed,
    SCHEDULES: schedule_feed,
    ALERTS: alert_feed,
}
"""The topics, and what follows each."""
EVENTS = {JOBS: "job", QUEUES: "queue", WORKERS: "worker", SCHEDULES: "schedule", ALERTS: "alert"}
"""The name of an event of each topic."""
_SHARE = 20
"""Readings, with the sending to all clients, take a twentieth of the time at the most."""
_STALE = 60.0
"""Seconds after which a topic that no client listened to starts over."""


class Changes:
    """Reads the topics that clients listen to, and keeps the newest events."""

    def __init__(self, app: Windlass, *, ring: Ring | None = None) -> None:
        self._feeds = {topic: make(app) for topic, make in FEEDS.items()}
        self._read_at: dict[str, float] = {}
        self._wanted: Counter[str] = Counter()
        self._is_away = False
        self._read_once = asyncio.Event()
        self.ring = ring or Ring()
        self.reader = Reader(self, share=_SHARE)

    @contextmanager
    def listening(self, topics: frozenset[str]) -> Iterator[Reader]:
        """Have these topics read for the length of a block."""
        self._wanted.update(topics)
        try:
            with self.reader.listening():
                yield self.reader
        finally:
            self._wanted.subtract(topics)

    async def baseline(self, topics: frozenset[str], streams: Streams) -> None:
        """Wait until each of these topics was read: what happens from then on is told."""
        while not (self._is_away or streams.ended.is_set() or self.reader.is_over or topics <= self._read_at.keys()):
            self._read_once.clear()
            await self._read_once.wait()

    async def read(self) -> bool:
        """Read what is due; whether there are new events."""
        before = self.ring.last
        try:
            for topic, feed in self._feeds.items():
                if self._wanted[topic] > 0 and self._is_due(topic, feed):
                    await self._read(topic, feed)
        except Exception as error:  # a store that is away comes back; everything else is told and logged the same way
            self._tell_away(error)
        else:
            self._tell_back()
        self._read_once.set()
        return self.ring.last > before

    async def _read(self, topic: str, feed: Feed) -> None:
        now = clock.monotonic()
        read_at = self._read_at.get(topic)
        if read_at is not None and now - read_at > _STALE:
            feed.forget()
            self.ring.add("reset", Change(topic, {"topic": topic, "reason": "no client listened to it for a while"}))
        for change in await feed.read():
            name = "skipped" if change.data.get("skipped") is True else EVENTS[topic]
            self.ring.add(name, change)
        self._read_at[topic] = now

    def _is_due(self, topic: str, feed: Feed) -> bool:
        read_at = self._read_at.get(topic)
        return read_at is None or clock.monotonic() - read_at >= feed.every * 0.9

    def _tell_away(self, error: Exception) -> None:
        if not self._is_away:
            self._is_away = True
            problem = problem_of(error)
            self.ring.add("away", Change("", {"detail": problem.detail or problem.title}))

    def _tell_back(self) -> None:
        if self._is_away:
            self._is_away = False
            self.ring.add("back", Change("", {"detail": "the store answers again"}))
