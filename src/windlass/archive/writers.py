"""The archives: a table of the store, files in a folder, one of the user's own."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from windlass.archive.protocol import Archive, ArchivedJob, week_of
from windlass.core.records import JobRecord
from windlass.errors import ConfigError
from windlass.store.operation import Operation
from windlass.store.operations.transfer import steps_of_jobs
from windlass.store.operations.upkeep import prune


class ArchiveWriter(Protocol):
    """What cleaning calls: an archive within the store, or one outside of it."""

    def write(self, records: Sequence[JobRecord]) -> Operation[list[int]]:
        """Copy the jobs; the seqs of those that are safe."""


class TableArchive:
    """A table of the same store, by ISO week: ``archive="table"``. The store copies the jobs itself."""

    def write(self, records: Sequence[JobRecord]) -> Operation[list[int]]:
        kept = yield from prune.archive([(record.seq, week_of(record)) for record in records])
        return kept


class OutsideArchive:
    """An ``Archive`` outside of the store: a folder, or one of the user's own."""

    def __init__(self, archive: Archive) -> None:
        self.archive = archive

    def write(self, records: Sequence[JobRecord]) -> Operation[list[int]]:
        steps = yield from steps_of_jobs([record.id for record in records])
        jobs = [ArchivedJob(record, tuple(steps.get(record.id, ()))) for record in records]
        kept = _ids(self.archive, self.archive.keep(jobs))
        return [record.seq for record in records if record.id in kept]


class FileArchive:
    """Compressed JSON lines, a file per ISO week, in a folder: ``archive="/var/lib/jobs/archive"``.

    A week's file is a series of gzip members, so that a crash can spoil the last one only. A job that was written
    just before a crash may stand there twice; its ``seq`` shows it.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def keep(self, jobs: Sequence[ArchivedJob]) -> list[str]:
        """Append the jobs to the files of their weeks, and have the disk keep them."""
        self.folder.mkdir(parents=True, exist_ok=True)
        by_week: dict[str, list[ArchivedJob]] = {}
        for job in jobs:
            by_week.setdefault(job.week, []).append(job)
        for week, members in by_week.items():
            with (self.folder / f"jobs-{week}.jsonl.gz").open("ab") as file:
                file.write(gzip.compress(b"".join(job.to_json() + b"\n" for job in members)))
                file.flush()
                os.fsync(file.fileno())
        return [job.id for job in jobs]


def archive_from(setting: object) -> ArchiveWriter | None:
    """What ``archive=`` means: nothing, the store's own table, a folder, or an archive of the user's own."""
    if setting is None:
        return None
    if isinstance(setting, str | Path) and setting != "":
        return TableArchive() if setting == "table" else OutsideArchive(FileArchive(setting))
    if isinstance(setting, Archive) and not isinstance(setting, type):
        return OutsideArchive(setting)
    raise ConfigError(
        f"archive must be None, 'table' or a folder, or an object with keep(jobs) that gives ids; got {setting!r}"
    )


def _ids(archive: Archive, answer: object) -> set[str]:
    """What an archive has answered; a mistake there must not delete a job."""
    if isinstance(answer, str | bytes) or not isinstance(answer, Iterable):
        raise TypeError(f"{type(archive).__name__}.keep must give the ids of the jobs that are safe, got {answer!r}")
    ids = set(answer)
    strange = next((id for id in ids if not isinstance(id, str)), None)
    if strange is not None:
        raise TypeError(f"{type(archive).__name__}.keep gave {strange!r}, which is no id of a job: give job.id of each")
    return ids
