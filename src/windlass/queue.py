"""The handle of one queue: its length, its settings, its pause."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any, Unpack

from windlass.client.owner import ClientOwner
from windlass.client.result_waiter import refuse_on_loop_thread
from windlass.client.session import Session
from windlass.core.state import FINISHED, State
from windlass.errors import IllegalTransition
from windlass.insight import reads
from windlass.insight.redact import redacted_reason
from windlass.job import Job
from windlass.options import UNSET
from windlass.options.queues import (
    QueueOptions,
    QueueSettings,
    changes_of,
    reset_changes,
    settings_of,
    since_milliseconds,
)
from windlass.store.driver import Topic
from windlass.store.operation import Operation
from windlass.store.operations import queries, queues
from windlass.store.operations.jobs import purge
from windlass.store.operations.queues import QueueRecord
from windlass.store.operations.rates.cooldowns import Scope, end_cooldown

if TYPE_CHECKING:
    from windlass.client.client import Client

_SETTINGS = (Topic.WORK, Topic.CONTROL)
"""What a change of settings may concern: jobs that may be claimed now, workers that must not claim any more."""
_WAITING = (State.PENDING, State.BLOCKED, State.SCHEDULED, State.RETRYING)


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
        self, *, by: str = "api", unchanged_since: datetime | None = UNSET, **changes: Unpack[QueueOptions]
    ) -> None:
        """Change what is named, whatever the code says; None takes a setting back. Keeps who did it.

        ``max_running`` is how many of its jobs may run at once, on all machines together; what runs already when it is
        lowered goes on. ``rate`` is how many of its jobs may be claimed in which time, ``burst`` how many at once.

        With ``unchanged_since``, the ``changed_at`` of settings that were read, it is ``IllegalTransition`` when an
        operator has changed something since, and nothing happens.
        """
        self._session.run(self._configure(changes, by, unchanged_since), notify=_SETTINGS)

    async def aconfigure(
        self, *, by: str = "api", unchanged_since: datetime | None = UNSET, **changes: Unpack[QueueOptions]
    ) -> None:
        """``configure`` for async code."""
        await self._session.arun(self._configure(changes, by, unchanged_since), notify=_SETTINGS)

    def reset(self, *settings: str, by: str = "api") -> None:
        """Take an operator's changes of these settings back, or of all: what the code says holds again.

        Of a setting that this program does not declare that is the default, until a worker starts whose code does.
        """
        self._session.run(self._reset(settings, by), notify=_SETTINGS)

    async def areset(self, *settings: str, by: str = "api") -> None:
        """``reset`` for async code."""
        await self._session.arun(self._reset(settings, by), notify=_SETTINGS)

    def pause(self, reason: str | None = None, *, by: str = "api") -> None:
        """Claim no more of its jobs, anywhere; what runs goes on."""
        self._session.run(queues.pause(self.name, by=by, reason=redacted_reason(reason)), notify=(Topic.CONTROL,))

    async def apause(self, reason: str | None = None, *, by: str = "api") -> None:
        """``pause`` for async code."""
        await self._session.arun(
            queues.pause(self.name, by=by, reason=redacted_reason(reason)), notify=(Topic.CONTROL,)
        )

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

    def _configure(self, changes: QueueOptions, by: str, unchanged_since: datetime | None) -> Operation[None]:
        seen = since_milliseconds(unchanged_since)
        if not (yield from queues.change(self.name, changes_of(changes), by=by, seen=seen)):
            raise IllegalTransition(f"queue {self.name!r} was changed meanwhile; read its settings again")

    def _purge(self, states: Iterable[State]) -> Operation[int]:
        total = 0
        for state in states:
            total += yield from purge(reads.filter_of({"state": state, "queue": self.name}))
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

    def _reset(self, settings: tuple[str, ...], by: str) -> Operation[None]:
        changes = reset_changes(settings, self._app.client.queue_seeds.get(self.name))
        yield from queues.change(self.name, changes, by=by, is_decided=False)

    def _settings(self) -> Operation[QueueSettings]:
        found = yield from queues.settings(self.name)
        return settings_of(found.get(self.name, QueueRecord(self.name)))


def _peek(client: Client, name: str, limit: int) -> Operation[list[Job[Any]]]:
    found = yield from queries.peek(name, limit=limit)
    return [Job.of(client, record) for record in found]
