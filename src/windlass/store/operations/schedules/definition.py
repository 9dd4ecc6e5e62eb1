"""What a schedule says: when it is due, which job it makes, and its policies.

It is stored as JSON text that no store looks into. Everything about the job is resolved when the schedule is declared,
added or edited, so that a fire does not depend on the code that the leader runs.
"""

from __future__ import annotations

from datetime import timedelta
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, replace

from windlass.core.schedules.interval import Interval
from windlass.core.schedules.policies import CatchUp, Overlap
from windlass.core.schedules.timetable import Timetable
from windlass.errors import ConfigError
from windlass.store.operations.enqueue import JobTemplate, NewJob, Uniqueness

_MILLISECOND = timedelta(milliseconds=1)
_KEPT = 16_384
"""How many timetables a process remembers: to parse a cron expression takes longer than all else about a fire."""


class Definition(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What a schedule says. Lengths of time are milliseconds."""

    job: JobTemplate
    """Without metadata and delay."""
    payload: str
    meta: str | None = None
    """Metadata of the user's own, as plain JSON; schedule and planned instant are added to it."""
    tags: str | None = None
    others: dict[str, str | int] = {}
    """What else the job has, by the names of the fields of ``NewJob``: keys of limits, say."""
    unique_key: str | None = None
    uniqueness: Uniqueness | None = None
    """Until when ``unique_key`` is held."""
    cron: str | None = None
    every: int | None = None
    """Exactly one of ``cron`` and ``every`` is given."""
    zone: str = "UTC"
    catch_up: CatchUp = CatchUp.LATEST
    catch_up_limit: int = 10
    overlap: Overlap = Overlap.ALLOW
    jitter: int = 0

    @classmethod
    def of(cls, job: NewJob, **rest: Any) -> Definition:
        """What makes jobs like this one; ``rest`` are the other fields, the metadata among them."""
        template = JobTemplate(**{name: getattr(job, name) for name in JobTemplate.__struct_fields__})
        apart = {*JobTemplate.__struct_fields__, "id", "payload", "tags", "unique_key", "at"}
        others = {name: value for name, value in asdict(job).items() if name not in apart and value is not None}
        return cls(
            job=replace(template, meta=None, delay=0),
            payload=job.payload,
            tags=job.tags,
            others=others,
            unique_key=job.unique_key,
            **rest,
        )

    def new_job(self, id: str, *, meta: str | None) -> NewJob:
        """A job of this schedule; its metadata says which slot it is of."""
        terms = replace(self.job, meta=meta)
        job = NewJob.under(terms, id, self.payload, unique_key=self.unique_key, tags=self.tags)
        return replace(job, **self.others)

    def timetable(self, name: str) -> Timetable:
        """When the schedule of this name is due; ``ConfigError`` where that is not understood."""
        return _timetable(name, self.cron, self.every, self.zone, self.jitter)


def write_definition(definition: Definition) -> str:
    """The stored form."""
    return msgspec.json.encode(definition).decode()


_DECODER = msgspec.json.Decoder(Definition)


def read_definition(text: str) -> Definition:
    """``ConfigError`` for a text that is no definition: it was damaged, or a newer release wrote it."""
    try:
        return _DECODER.decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise ConfigError(f"the schedule's definition cannot be read: {error}") from error


@lru_cache(maxsize=_KEPT)
def _timetable(name: str, cron: str | None, every: int | None, zone: str, jitter: int) -> Timetable:
    if (cron is None) == (every is None):
        raise ConfigError(f"schedule {name!r}: give either a cron expression or an interval (every)")
    if cron is None:
        return Timetable(Interval.of(timedelta(milliseconds=every or 0)), name, jitter * _MILLISECOND)
    # Imported here: programs without schedules do not pay for it.
    from windlass.core.schedules.cron import Cron

    return Timetable(Cron(cron, zone), name, jitter * _MILLISECOND)
