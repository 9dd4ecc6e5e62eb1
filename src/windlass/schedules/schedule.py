"""The handle of one schedule: when it fires, what it makes, and what can be done to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Unpack

from windlass import clock
from windlass.client.owner import ClientOwner
from windlass.core import validate
from windlass.core.schedules.preview import PlannedFire, preview
from windlass.core.schedules.zones import time_zone
from windlass.errors import ConfigError, IllegalTransition
from windlass.insight.redact import redacted_reason
from windlass.job import Job
from windlass.schedules.edit import edited_definition
from windlass.schedules.encrypted import opened_definition
from windlass.schedules.fires import Fire
from windlass.schedules.options import TimedOptions
from windlass.schedules.scheduled_jobs import scheduled_jobs
from windlass.schedules.settings import ScheduleSettings, differing, settings_of
from windlass.schedules.stored import found, store_declared
from windlass.store.operation import Operation
from windlass.store.operations.enqueue import Enqueued, enqueue
from windlass.store.operations.schedules import changes, edits
from windlass.store.operations.schedules.definition import Definition, read_definition
from windlass.store.operations.schedules.records import FireRecord, Origin, ScheduleRecord

if TYPE_CHECKING:
    from windlass.client.client import Client

_MOST_PREVIEWED = 1000


class Schedule:
    """Makes jobs at times. What it shows is a snapshot; ``refresh()`` reads it anew.

    >>> from datetime import UTC, datetime
    >>> from windlass import Windlass
    >>> app = Windlass("sqlite:///:memory:")
    >>> @app.cron("30 9 * * mon-fri", tz="Europe/Berlin")
    ... def digest() -> None: ...
    >>> schedule = app.schedule("digest")
    >>> schedule.pause("August", by="ada").state
    'paused'
    >>> schedule.edit(cron="0 10 * * mon-fri").changed
    ['cron']
    >>> [str(fire.local.time()) for fire in schedule.preview(2)]
    ['10:00:00', '10:00:00']
    >>> schedule.reset().resume().state
    'active'
    >>> app.close()
    """

    def __init__(self, app: ClientOwner, record: ScheduleRecord) -> None:
        self._app = app
        self.record = record
        """Everything the store knows, as it keeps it."""

    def __repr__(self) -> str:
        return f"<Schedule {self.name} {self.state}>"

    @property
    def name(self) -> str:
        return self.record.name

    @property
    def task(self) -> str:
        """The name of the task that it runs."""
        return self.record.task

    @property
    def origin(self) -> str:
        """``code`` if code declares it, ``hand`` if it was added."""
        return self.record.origin

    @property
    def state(self) -> str:
        """``active``, ``paused``, ``orphaned`` (no code that runs declares it any more), or ``new``: this program
        declares it, and no worker has stored it yet.
        """
        if not self.record.revision:
            return "new"
        if self.record.orphaned_at is not None:
            return "orphaned"
        return "active" if self.record.paused_at is None else "paused"

    @property
    def enabled(self) -> bool:
        """Whether it fires."""
        return self.state in ("active", "new")

    @property
    def next_at(self) -> datetime | None:
        """The next slot; None while it is paused or orphaned."""
        return clock.instant_or_none(self.record.next_at)

    @property
    def problem(self) -> str | None:
        """Why it cannot be read here: it was damaged, or a newer version wrote it; None otherwise."""
        try:
            _ = self.settings
        except ConfigError as error:
            return str(error)
        return None

    @property
    def settings(self) -> ScheduleSettings:
        """What it says: cron or every, tz, catch_up, overlap, queue and all the rest."""
        return settings_of(self._client, self.name, self._definition)

    @property
    def declared(self) -> ScheduleSettings | None:
        """What the code says, where an operator has said otherwise; None where the code's holds."""
        if self.record.declared is None or self.record.changed_at is None:
            return None
        return settings_of(self._client, self.name, read_definition(self.record.declared))

    @property
    def changed(self) -> list[str]:
        """The settings in which an operator's changes differ from the code."""
        declared = self.declared
        return [] if declared is None else differing(self.settings, declared)

    def refresh(self) -> Schedule:
        """Read it anew; ``ScheduleNotFound`` when it is gone."""
        return self._took(self._client.session.run(found(self._client, self.name)))

    async def arefresh(self) -> Schedule:
        """``refresh`` for async code."""
        return self._took(await self._client.session.arun(found(self._client, self.name)))

    def pause(self, reason: str | None = None, *, by: str = "api") -> Schedule:
        """Fire no more until ``resume``; slots meanwhile are not made up for."""
        return self._took(
            self._client.session.upkeep(self._change(edits.paused(by=by, reason=redacted_reason(reason))))
        )

    async def apause(self, reason: str | None = None, *, by: str = "api") -> Schedule:
        """``pause`` for async code."""
        pause = self._change(edits.paused(by=by, reason=redacted_reason(reason)))
        return self._took(await self._client.session.aupkeep(pause))

    def resume(self) -> Schedule:
        """Go on with the first slot from now on."""
        return self._took(self._client.session.upkeep(self._change(edits.resumed())))

    async def aresume(self) -> Schedule:
        """``resume`` for async code."""
        return self._took(await self._client.session.aupkeep(self._change(edits.resumed())))

    def edit(self, *, by: str = "api", **options: Unpack[TimedOptions]) -> Schedule:
        """Change what is named: ``cron``, ``every``, ``tz``, and all that ``app.cron`` takes; ``args`` and ``kwargs``
        together are the new call.

        The next slot is worked out anew, from now on. Changes to a schedule that code declares stay until ``reset``,
        whatever the code says later.
        """
        return self._took(self._client.session.upkeep(self._edit(options, by)))

    async def aedit(self, *, by: str = "api", **options: Unpack[TimedOptions]) -> Schedule:
        """``edit`` for async code."""
        return self._took(await self._client.session.aupkeep(self._edit(options, by)))

    async def aedit_if(
        self, check: Callable[[ScheduleRecord], None], *, by: str, options: Mapping[str, Any]
    ) -> Schedule:
        """``aedit`` of a record that ``check`` accepts; it raises where it does not, and then nothing changes."""
        return self._took(await self._client.session.aupkeep(self._edit(options, by, check)))

    def reset(self) -> Schedule:
        """Take an operator's changes back: what the code says holds again."""
        return self._took(self._client.session.upkeep(self._change(edits.reset())))

    async def areset(self) -> Schedule:
        """``reset`` for async code."""
        return self._took(await self._client.session.aupkeep(self._change(edits.reset())))

    def run_now(self) -> Job[Any]:
        """Make its job now, besides its slots; ``duplicate`` is true if its unique key is held."""
        return self._made(self._client.session.store(self._run_now()))

    async def arun_now(self) -> Job[Any]:
        """``run_now`` for async code."""
        return self._made(await self._client.session.astore(self._run_now()))

    def preview(self, count: int = 10) -> list[PlannedFire]:
        """The next slots: in UTC, in its own time zone, and with a note where the clocks change."""
        validate.whole_number(count, "count", least=1, most=_MOST_PREVIEWED)
        definition = self._definition
        now = clock.instant(self._client.now())
        return preview(definition.timetable(self.name), time_zone(definition.zone), after=now, count=count)

    def fires(self, *, limit: int = 50, before: datetime | None = None) -> list[Fire]:
        """What became of its slots, the newest first; ``before`` takes the ``planned_at`` of the last one of a page."""
        return [Fire.of(one) for one in self._client.session.run(self._fires(limit, before))]

    async def afires(self, *, limit: int = 50, before: datetime | None = None) -> list[Fire]:
        """``fires`` for async code."""
        return [Fire.of(one) for one in await self._client.session.arun(self._fires(limit, before))]

    def delete(self) -> None:
        """Remove it with its ledger of fires; its jobs stay.

        ``IllegalTransition`` while code declares it: the next worker would store it again.
        """
        self._client.session.run(self._delete())

    async def adelete(self) -> None:
        """``delete`` for async code."""
        await self._client.session.arun(self._delete())

    @property
    def _client(self) -> Client:
        """That of the app at this moment: a handle that was made before a test block acts in the block."""
        return self._app.client

    @property
    def opened(self) -> Definition:
        """What it says as it is stored, decrypted as far as there are keys."""
        return opened_definition(self._client.encryption, self.name, self._definition)

    @property
    def _definition(self) -> Definition:
        return read_definition(self.record.definition)

    def _took(self, record: ScheduleRecord) -> Schedule:
        self.record = record
        return self

    def _change(self, edit: edits.Edit) -> Operation[ScheduleRecord]:
        yield from store_declared(self._client, self.name)
        return (yield from changes.change(self.name, edit))

    def _edit(
        self, options: Mapping[str, Any], by: str, check: Callable[[ScheduleRecord], None] = lambda record: None
    ) -> Operation[ScheduleRecord]:
        yield from store_declared(self._client, self.name)
        client, given = self._client, dict(options)

        def edit(record: ScheduleRecord, now: int) -> ScheduleRecord:
            check(record)
            definition = edited_definition(client, record.name, read_definition(record.definition), given)
            return edits.edited(definition, by=by)(record, now)

        return (yield from changes.change(self.name, edit))

    def _run_now(self) -> Operation[list[Enqueued]]:
        record = yield from found(self._client, self.name)
        definition = read_definition(record.definition)
        job = scheduled_jobs(self._client).make(record.name, definition, None)
        return (yield from enqueue([job], {0: definition.uniqueness} if definition.uniqueness else {}))

    def _made(self, stored: list[Enqueued]) -> Job[Any]:
        [one] = stored
        return Job(self._client, one.id, state=one.state, duplicate=one.is_duplicate)

    def _fires(self, limit: int, before: datetime | None) -> Operation[list[FireRecord]]:
        validate.whole_number(limit, "limit", least=1, most=1000)
        until = None if before is None else validate.milliseconds_since_1970(before, "before")
        return changes.fires(self.name, before=until, limit=limit)

    def _delete(self) -> Operation[None]:
        record = yield from found(self._client, self.name)
        if record.origin is Origin.CODE and record.orphaned_at is None:
            raise IllegalTransition(
                f"schedule {self.name!r} is declared in code, and the next worker would store it again; remove it from "
                "the code first, or pause it"
            )
        yield from changes.delete(self.name)
