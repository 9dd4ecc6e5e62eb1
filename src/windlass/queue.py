"""The handle of one queue: its length, its settings, its pause."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from windlass import clock
from windlass.client.owner import ClientOwner
from windlass.client.result_waiter import refuse_on_loop_thread
from windlass.client.session import Session
from windlass.core import validate
from windlass.core.rates.cooldown import Cooldown, cooldown_rule, read_cooldown, write_cooldown
from windlass.core.rates.rate import read_rate, stored_rate, write_rate
from windlass.core.retry import Retry, read_retry, retry_rule, write_retry
from windlass.core.state import FINISHED, State
from windlass.errors import ConfigError, IllegalTransition
from windlass.insight.job_filter import filter_of
from windlass.job import Job
from windlass.options import UNSET
from windlass.retention import Retention, read_retention, retention_policy, write_retention
from windlass.store.driver import Topic
from windlass.store.operation import Operation
from windlass.store.operations import queries, queues
from windlass.store.operations.jobs import purge
from windlass.store.operations.queues import QueueRecord, QueueSeed
from windlass.store.operations.rates.cooldowns import Scope, end_cooldown

if TYPE_CHECKING:
    from windlass.client.client import Client

_SETTINGS = (Topic.WORK, Topic.CONTROL)
"""What a change of settings may concern: jobs that may be claimed now, workers that must not claim any more."""
_WAITING = (State.PENDING, State.BLOCKED, State.SCHEDULED, State.RETRYING)


@dataclass(frozen=True, slots=True)
class QueueSettings:
    """What is set for a queue; None means the default."""

    weight: int | None
    max_length: int | None
    max_running: int | None
    """How many of its jobs may run at once, on all machines together."""
    retention: Retention | None
    retry: Retry | None
    paused_at: datetime | None
    paused_by: str | None
    paused_reason: str | None
    changed_at: datetime | None
    """When an operator last changed something; None: all there is comes from code."""
    changed_by: str | None
    cooldown: Cooldown | None = None
    rate: str | None = None
    """How many of its jobs may be claimed in which time, as in ``"30/min"``."""
    burst: int | None = None
    """How many of them at once."""

    @property
    def paused(self) -> bool:
        return self.paused_at is not None


class Queue:
    """One queue: look at it, pause it, set it up. Settings live in the store and are followed within 2 s.

    >>> from windlass import Windlass
    >>> app = Windlass("sqlite:///:memory:")
    >>> mail = app.queue("mail")
    >>> mail.configure(weight=3, max_length=10_000, max_running=8)
    >>> mail.pause("the provider is down", by="ada")
    >>> mail.settings().paused_by, mail.length
    ('ada', 0)
    >>> mail.resume()
    >>> app.close()
    """

    def __init__(self, app: ClientOwner, name: str) -> None:
        self._app = app
        self.name = name

    @property
    def _session(self) -> Session:
        """That of the app at this moment: a handle that was made before a test block acts in the block."""
        return self._app.client.session

    def __repr__(self) -> str:
        return f"<Queue {self.name}>"

    @property
    def length(self) -> int:
        """How many jobs are ready to run; async code awaits ``alength()``."""
        refuse_on_loop_thread("queue.length", "queue.alength()")
        return self._session.run(queries.totals(self.name))[State.PENDING]

    async def alength(self) -> int:
        """``length`` for async code."""
        return (await self._session.arun(queries.totals(self.name)))[State.PENDING]

    def settings(self) -> QueueSettings:
        """What is set for the queue now."""
        return self._session.run(self._settings())

    async def asettings(self) -> QueueSettings:
        """``settings`` for async code."""
        return await self._session.arun(self._settings())

    def configure(
        self,
        *,
        weight: int | None = UNSET,
        max_length: int | None = UNSET,
        max_running: int | None = UNSET,
        retention: Retention | None = UNSET,
        retry: Retry | None = UNSET,
        cooldown: Cooldown | None = UNSET,
        rate: str | None = UNSET,
        burst: int | None = None,
        by: str = "api",
    ) -> None:
        """Change what is named; None takes a setting back. Keeps who did it.

        ``max_running`` is how many of its jobs may run at once, on all machines together; what runs already when it is
        lowered goes on. ``rate`` is how many of its jobs may be claimed in which time, ``burst`` how many at once.
        """
        changes = _changes(
            weight=weight,
            max_length=max_length,
            max_running=max_running,
            retention=retention,
            retry=retry,
            cooldown=cooldown,
            rate=rate,
            burst=burst,
        )
        self._session.run(queues.change(self.name, changes, by=by), notify=_SETTINGS)

    async def aconfigure(
        self,
        *,
        weight: int | None = UNSET,
        max_length: int | None = UNSET,
        max_running: int | None = UNSET,
        retention: Retention | None = UNSET,
        retry: Retry | None = UNSET,
        cooldown: Cooldown | None = UNSET,
        rate: str | None = UNSET,
        burst: int | None = None,
        by: str = "api",
    ) -> None:
        """``configure`` for async code."""
        changes = _changes(
            weight=weight,
            max_length=max_length,
            max_running=max_running,
            retention=retention,
            retry=retry,
            cooldown=cooldown,
            rate=rate,
            burst=burst,
        )
        await self._session.arun(queues.change(self.name, changes, by=by), notify=_SETTINGS)

    def pause(self, reason: str | None = None, *, by: str = "api") -> None:
        """Claim no more of its jobs, anywhere; what runs goes on."""
        self._session.run(queues.pause(self.name, by=by, reason=reason), notify=(Topic.CONTROL,))

    async def apause(self, reason: str | None = None, *, by: str = "api") -> None:
        """``pause`` for async code."""
        await self._session.arun(queues.pause(self.name, by=by, reason=reason), notify=(Topic.CONTROL,))

    def resume(self, *, by: str = "api") -> None:
        """Go on claiming after a pause or a cool-down."""
        self._session.run(self._resume(by), notify=_SETTINGS)

    async def aresume(self, *, by: str = "api") -> None:
        """``resume`` for async code."""
        await self._session.arun(self._resume(by), notify=_SETTINGS)

    def peek(self, limit: int = 10) -> list[Job[Any]]:
        """The next jobs in the order in which they would run, without taking them."""
        return self._session.run(_peek(self._app.client, self.name, limit))

    async def apeek(self, limit: int = 10) -> list[Job[Any]]:
        """``peek`` for async code."""
        return await self._session.arun(_peek(self._app.client, self.name, limit))

    def purge(self, *, by: str = "api") -> int:
        """Delete every job of the queue that waits; how many."""
        return self._session.run(self._purge(_WAITING))

    async def apurge(self, *, by: str = "api") -> int:
        """``purge`` for async code."""
        return await self._session.arun(self._purge(_WAITING))

    def delete(self) -> None:
        """Remove the queue and its finished jobs; ``IllegalTransition`` while it has jobs that wait or run."""
        self._session.run(self._remove())

    async def adelete(self) -> None:
        """``delete`` for async code."""
        await self._session.arun(self._remove())

    def length_of_all(self) -> int:
        """How many jobs the queue has in all states together."""
        return sum(self._session.run(queries.totals(self.name)).values())

    async def alength_of_all(self) -> int:
        """``length_of_all`` for async code."""
        return sum((await self._session.arun(queries.totals(self.name))).values())

    def _purge(self, states: Iterable[State]) -> Operation[int]:
        total = 0
        for state in states:
            total += yield from purge(filter_of({"state": state, "queue": self.name}))
        return total

    def _resume(self, by: str) -> Operation[None]:
        yield from queues.pause(self.name, by=by, reason=None, is_paused=False)
        yield from end_cooldown(Scope.QUEUE, self.name)

    def _remove(self) -> Operation[None]:
        yield from self._purge(FINISHED)
        if (yield from queues.remove(self.name)):
            return
        left = yield from queries.counts(self.name)
        if any(sum(by_state.values()) for by_state in left.values()):
            raise IllegalTransition(f"queue {self.name!r} still has jobs that wait or run; purge or finish them first")

    def _settings(self) -> Operation[QueueSettings]:
        found = yield from queues.settings(self.name)
        return settings_of(found.get(self.name, QueueRecord(self.name)))


def _peek(client: Client, name: str, limit: int) -> Operation[list[Job[Any]]]:
    found = yield from queries.peek(name, limit=limit)
    return [Job.of(client, record) for record in found]


def _changes(
    *,
    weight: int | None = UNSET,
    max_length: int | None = UNSET,
    max_running: int | None = UNSET,
    retention: Retention | None = UNSET,
    retry: Retry | None = UNSET,
    cooldown: Cooldown | None = UNSET,
    rate: str | None = UNSET,
    burst: int | None = None,
) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    if weight is not UNSET:
        changes["weight"] = None if weight is None else validate.whole_number(weight, "weight", least=1, most=1000)
    if max_length is not UNSET:
        changes["max_length"] = None if max_length is None else validate.whole_number(max_length, "max_length", least=0)
    if max_running is not UNSET:
        changes["max_running"] = None if max_running is None else running_limit(max_running)
    if retention is not UNSET:
        changes["retention"] = None if retention is None else write_retention(retention_policy(retention))
    if retry is not UNSET:
        changes["retry"] = None if retry is None else write_retry(retry_rule(retry))
    if cooldown is not UNSET:
        changes["cooldown"] = None if cooldown is None else write_cooldown(cooldown_rule(cooldown))
    if rate is not UNSET:
        changes["rate"] = None if rate is None else write_rate(read_rate(rate, burst))
    elif burst is not None:
        raise ConfigError("burst needs a rate, as in configure(rate='30/min', burst=5)")
    return changes


def running_limit(value: object) -> int:
    """A limit on running jobs, checked."""
    if value == 0 and not isinstance(value, bool):
        raise ConfigError("max_running must be at least 1, got 0; pause the queue, or the app, to let nothing run")
    return validate.whole_number(value, "max_running", least=1, most=1_000_000)


def seed_of(
    name: str,
    *,
    weight: int | None = None,
    max_length: int | None = None,
    max_running: int | None = None,
    rate: str | None = None,
    burst: int | None = None,
) -> QueueSeed:
    """What code says of a queue, checked."""
    given = UNSET if rate is None else rate
    changes = _changes(weight=weight, max_length=max_length, max_running=max_running, rate=given, burst=burst)
    return QueueSeed(name, weight, max_length, max_running, changes.get("rate"))


def settings_of(record: QueueRecord) -> QueueSettings:
    """A stored queue's settings in the types of the API."""
    rate = stored_rate(record.rate)
    return QueueSettings(
        weight=record.weight,
        max_length=record.max_length,
        max_running=record.max_running,
        retention=read_retention(record.retention),
        retry=read_retry(record.retry),
        paused_at=None if record.paused_at is None else clock.instant(record.paused_at),
        paused_by=record.paused_by,
        paused_reason=record.paused_reason,
        changed_at=None if record.changed_at is None else clock.instant(record.changed_at),
        changed_by=record.changed_by,
        cooldown=read_cooldown(record.cooldown),
        rate=None if rate is None else str(rate),
        burst=None if rate is None else rate.burst,
    )
