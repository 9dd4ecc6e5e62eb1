"""How long finished jobs are kept, and the archive they go to."""

from __future__ import annotations

import gzip
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import asdict as asdict_of

from windlass import clock
from windlass.core.records import JobRecord
from windlass.core.state import State
from windlass.core.units import milliseconds
from windlass.core.validate import of_kind, whole_number
from windlass.errors import ConfigError, Duration
from windlass.store.operation import Operation
from windlass.store.operations import prune
from windlass.store.operations.steps.steps import StepRecord
from windlass.store.operations.transfer import steps_of_jobs

_FOR_EVER = 2**60
_KEPT_AT_MOST = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """How long finished jobs stay, by state; None keeps them. ``at_most`` bounds each state of each queue.

    >>> Retention(completed="1d", failed=None).completed
    datetime.timedelta(days=1)
    """

    completed: Duration | None = timedelta(days=7)
    cancelled: Duration | None = timedelta(days=7)
    failed: Duration | None = timedelta(days=30)
    at_most: int | None = _KEPT_AT_MOST

    def __post_init__(self) -> None:
        for name in ("completed", "cancelled", "failed"):
            value = getattr(self, name)
            if value is not None:
                length = timedelta(milliseconds=milliseconds(value, f"Retention: {name}"))
                if not length:
                    raise ConfigError(
                        f"Retention: {name}={value!r} may mean two things: None keeps {name} jobs for ever, '1s' "
                        "deletes them after a second"
                    )
                object.__setattr__(self, name, length)
        if self.at_most is not None:
            whole_number(self.at_most, "Retention: at_most", least=1)

    def age(self, state: State) -> int:
        """Milliseconds after which a job of this state may go."""
        value: Duration | None = getattr(self, state)
        return _FOR_EVER if value is None else milliseconds(value)


def retention_policy(setting: object) -> Retention:
    """What ``retention=`` was given, if it is a policy."""
    return of_kind(setting, Retention, "retention", example='Retention(completed="7d")')


class _Stored(Struct, frozen=True):
    completed: int | None
    cancelled: int | None
    failed: int | None
    at_most: int | None


def write_retention(retention: Retention) -> str:
    """A policy as it is stored with a queue, in milliseconds."""
    lengths = {
        name: milliseconds(value) if isinstance(value, timedelta) else value
        for name, value in asdict(retention).items()
    }
    return msgspec.json.encode(lengths).decode()


def read_retention(text: str | None) -> Retention | None:
    """The policy, or None where there is none or it cannot be read."""
    if text is None:
        return None
    try:
        stored = msgspec.json.decode(text, type=_Stored)
    except (msgspec.MsgspecError, ValueError):
        return None
    return Retention(
        completed=_length(stored.completed),
        cancelled=_length(stored.cancelled),
        failed=_length(stored.failed),
        at_most=stored.at_most,
    )


def _length(value: int | None) -> timedelta | None:
    return None if value is None else timedelta(milliseconds=value)


class Archive:
    """Where finished jobs go before they are deleted."""

    def keep(self, records: Sequence[JobRecord]) -> Operation[list[int]]:
        """Write the records somewhere; the seqs of those that are safe there."""
        raise NotImplementedError


class TableArchive(Archive):
    """A table of the same store, by ISO week: ``archive="table"``."""

    def keep(self, records: Sequence[JobRecord]) -> Operation[list[int]]:
        kept = yield from prune.archive([(record.seq, week_of(record)) for record in records])
        return kept


class FileArchive(Archive):
    """Compressed JSON lines, a file per ISO week, in a folder: ``archive="/var/lib/jobs/archive"``.

    A week's file is a series of gzip members, so that a crash can spoil the last one only. A job that was written
    just before a crash may stand there twice; its ``seq`` shows it.
    """

    def __init__(self, folder: str | Path) -> None:
        self._folder = Path(folder)

    def keep(self, records: Sequence[JobRecord]) -> Operation[list[int]]:
        steps = yield from steps_of_jobs([record.id for record in records])
        self._folder.mkdir(parents=True, exist_ok=True)
        by_week: dict[str, list[JobRecord]] = {}
        for record in records:
            by_week.setdefault(week_of(record), []).append(record)
        for week, members in by_week.items():
            lines = b"".join(msgspec.json.encode(_line(record, steps.get(record.id))) + b"\n" for record in members)
            with (self._folder / f"jobs-{week}.jsonl.gz").open("ab") as file:
                file.write(gzip.compress(lines))
                file.flush()
                os.fsync(file.fileno())
        return [record.seq for record in records]


def week_of(record: JobRecord) -> str:
    """The ISO week in which a job finished, as ``2026-W46``."""
    year, week, _ = clock.instant(record.finished_at or record.created_at).isocalendar()
    return f"{year}-W{week:02}"


def _line(record: JobRecord, steps: Sequence[StepRecord] | None) -> dict[str, object]:
    return asdict_of(record) | ({"steps": [asdict_of(step) for step in steps]} if steps else {})


def archive_from(setting: object) -> Archive | None:
    """What ``archive=`` means: nothing, the store's own table, a folder, or an archive of the user's own."""
    if setting is None or isinstance(setting, Archive):
        return setting
    if setting == "table":
        return TableArchive()
    if isinstance(setting, str | Path) and setting != "":
        return FileArchive(setting)
    raise ConfigError(f"archive must be None, 'table' or a folder, got {setting!r}")
