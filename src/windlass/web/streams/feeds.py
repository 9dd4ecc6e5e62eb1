"""What has changed since the last reading: one feed for each topic."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from windlass.app import Windlass
from windlass.insight import json_forms
from windlass.insight.alerts.json_form import alert_form
from windlass.insight.alerts.views import AlertView
from windlass.web.readings.counts import overview_of
from windlass.web.streams.event import Change

JOBS, QUEUES, WORKERS, SCHEDULES, ALERTS = "jobs", "queues", "workers", "schedules", "alerts"
_NEWEST_ALERTS = 200


class Feed(Protocol):
    """Tells what has changed of one topic."""

    @property
    def topic(self) -> str: ...

    @property
    def every(self) -> float:
        """Seconds between two readings."""

    async def read(self) -> list[Change]:
        """What has changed since the last reading; nothing on the first."""

    def forget(self) -> None:
        """Let the next reading be the first."""


@dataclass(frozen=True, slots=True)
class Thing:
    """One of those that a snapshot holds."""

    name: str
    form: Mapping[str, object]
    queue: str | None = None
    task: str | None = None


@dataclass
class SnapshotFeed:
    """Compares all things of a kind with those of the reading before."""

    topic: str
    key: str
    """The field that names a thing."""
    things: Callable[[], Awaitable[Iterable[Thing]]]
    every: float
    restless: frozenset[str] = frozenset()
    """Fields that change all the time: they alone are no news."""
    is_window: bool = False
    """Whether the newest things alone are read: one that newer things have pushed out is not gone."""

    def __post_init__(self) -> None:
        self._known: dict[str, Thing] | None = None

    async def read(self) -> list[Change]:
        """What is new, other than before, or gone."""
        now = {thing.name: thing for thing in await self.things()}
        before, self._known = self._known, now
        if before is None:
            return []
        changes = [self._change(thing) for name, thing in now.items() if self._is_other(before.get(name), thing)]
        gone = [] if self.is_window else [thing for name, thing in before.items() if name not in now]
        return changes + [self._gone(thing) for thing in gone]

    def forget(self) -> None:
        self._known = None

    def _is_other(self, before: Thing | None, now: Thing) -> bool:
        return before is None or self._calm(before) != self._calm(now)

    def _calm(self, thing: Thing) -> dict[str, object]:
        return {name: value for name, value in thing.form.items() if name not in self.restless}

    def _change(self, thing: Thing) -> Change:
        return Change(self.topic, thing.form, thing.queue, thing.task)

    def _gone(self, thing: Thing) -> Change:
        return Change(self.topic, {self.key: thing.name, "gone": True}, thing.queue, thing.task)


def queue_feed(app: Windlass) -> SnapshotFeed:
    """Queues: their counts, their settings, whether they are paused, how many workers serve them."""

    async def things() -> Iterable[Thing]:
        return [Thing(view.name, json_forms.queue(view), view.name) for view in (await overview_of(app)).queues]

    return SnapshotFeed(QUEUES, "name", things, 0.5, frozenset({"oldest_seconds"}))


def worker_feed(app: Windlass) -> SnapshotFeed:
    """Workers: those that come, go, are lost, pause, and what they run."""

    async def things() -> Iterable[Thing]:
        return [Thing(view.id, json_forms.worker(view)) for view in await app.aworkers()]

    restless = frozenset({"seen_at", "uptime", "cpu", "memory", "last", "rounds"})
    return SnapshotFeed(WORKERS, "id", things, 0.5, restless)


def schedule_feed(app: Windlass) -> SnapshotFeed:
    """Schedules: when they are due next, their last job, changes of operators and of the code."""

    async def things() -> Iterable[Thing]:
        found: list[Any] = list(await app.aschedules())
        return [Thing(one.name, json_forms.schedule(one), task=one.task) for one in found]

    return SnapshotFeed(SCHEDULES, "name", things, 2.0)


def alert_feed(app: Windlass) -> SnapshotFeed:
    """Alerts: those that fire, are acknowledged, and are resolved; the newest of them."""

    async def things() -> Iterable[Thing]:
        return [_alert(one) for one in (await app.alerts.alist(limit=_NEWEST_ALERTS)).alerts]

    return SnapshotFeed(ALERTS, "id", things, 1.0, is_window=True)


def _alert(alert: AlertView) -> Thing:
    kind, _, name = alert.subject.partition(":")
    queue, task = (name if kind == one else None for one in ("queue", "task"))
    return Thing(alert.id, alert_form(alert), queue, task)
