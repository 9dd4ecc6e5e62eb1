"""What an archive is: ``keep(jobs) -> ids``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, TypeVar, runtime_checkable

import msgspec
from msgspec import NODEFAULT
from msgspec.structs import asdict

from windlass import clock
from windlass.core.records import JobRecord
from windlass.store.operations.steps.steps import StepRecord

S = TypeVar("S", bound=msgspec.Struct)


@dataclass(frozen=True, slots=True)
class ArchivedJob:
    """A finished job on its way into an archive."""

    record: JobRecord
    """All that the store knows of it; texts that are encrypted stay so."""
    steps: tuple[StepRecord, ...] = ()
    """What its durable steps have recorded, in order."""

    @property
    def id(self) -> str:
        return self.record.id

    @property
    def task(self) -> str:
        return self.record.task

    @property
    def queue(self) -> str:
        return self.record.queue

    @property
    def state(self) -> str:
        """completed, failed or cancelled."""
        return str(self.record.state)

    @property
    def finished_at(self) -> datetime:
        return clock.instant(self.record.finished_at or self.record.created_at)

    @property
    def week(self) -> str:
        """The ISO week in which it finished, as ``2026-W46``: the archives of Windlass are sorted by it."""
        return week_of(self.record)

    def to_json(self) -> bytes:
        """One JSON object with all fields, and ``steps`` where there are any."""
        steps = {"steps": [asdict(step) for step in self.steps]} if self.steps else {}
        return msgspec.json.encode(asdict(self.record) | steps)

    @classmethod
    def from_json(cls, text: bytes) -> ArchivedJob:
        """What ``to_json`` wrote, also that of an earlier release; ``msgspec.MsgspecError`` where it cannot be read."""
        given = msgspec.json.decode(text, type=dict[str, Any])
        return cls(_struct(given, JobRecord), tuple(_struct(step, StepRecord) for step in given.get("steps") or ()))


@runtime_checkable
class Archive(Protocol):
    """Where finished jobs go before they are deleted: ``archive=MyArchive()``.

    The leader calls it while it cleans, a page of jobs at a time, on a thread of its own; it may take its time.

    >>> class Printed:
    ...     def keep(self, jobs):
    ...         print(*(job.id for job in jobs))
    ...         return [job.id for job in jobs]
    >>> isinstance(Printed(), Archive)
    True
    """

    def keep(self, jobs: Sequence[ArchivedJob]) -> Iterable[str]:
        """Write the jobs somewhere; the ids of those that are safe there. Only these are deleted afterwards.

        A job comes again where its id was not given back, where this call raised, and after a crash before it was
        deleted: writing it twice must do no harm.
        """


def week_of(record: JobRecord) -> str:
    """The ISO week in which a job finished, as ``2026-W46``."""
    return week_at(record.finished_at or record.created_at)


def week_at(milliseconds: int) -> str:
    """The ISO week of an instant.

    >>> week_at(1_767_225_600_000)
    '2026-W01'
    """
    year, week, _ = clock.instant(milliseconds).isocalendar()
    return f"{year:04}-W{week:02}"


def _struct(given: dict[str, Any], kind: type[S]) -> S:
    """A struct from its fields by name; those that are not known here are left out."""
    fields = msgspec.structs.fields(kind)
    values = [given.get(field.name, None if field.default is NODEFAULT else field.default) for field in fields]
    return msgspec.convert(values, kind, strict=False)
