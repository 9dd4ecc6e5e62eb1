"""Reads an archive of files.

A week's file is a series of gzip members. One that is not whole, because the machine went down while it was written, is
passed by, and reading goes on at the next.
"""

from __future__ import annotations

import mmap
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from heapq import nlargest
from io import BufferedReader
from pathlib import Path

import msgspec

from windlass.archive.protocol import ArchivedJob, week_at
from windlass.archive.query import ArchiveCursor, ArchivePage, in_search_order
from windlass.errors import ConfigError
from windlass.store.operation import Operation
from windlass.store.operations.archive.archived import ArchiveFilter

_NAME = re.compile(r"jobs-(\d{4}-W\d\d)\.jsonl\.gz", re.ASCII)
_GZIP = b"\x1f\x8b\x08"
"""How a member begins."""
_GZIP_ONLY = 31
"""For zlib: a header and a checksum of gzip."""
_CHUNK = 2**20

Position = tuple[int, int]


class FileReader:
    """Reads the files of a folder, the newest week first, and of a week the jobs that finished last.

    Each page reads the files of its weeks from their beginning.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def page(self, filter: ArchiveFilter, *, limit: int, cursor: ArchiveCursor | None) -> Operation[ArchivePage]:
        yield from ()
        weeks = self._weeks(filter)
        found: list[ArchivedJob] = []
        damaged = 0
        for week in weeks:
            if cursor is not None and week > cursor.week:
                continue
            file = _WeekFile(self._file(week))
            before = _position(cursor) if cursor is not None and week == cursor.week else None
            room = limit - len(found)
            # A job may stand there twice, if a crash came between its archive and its deletion.
            newest = nlargest(2 * room, file.jobs(filter, before), key=_place)
            found += list({_place(job): job for job in newest}.values())[:room]
            damaged += file.damaged
            if len(newest) >= room and found:
                finished_at, seq = _place(found[-1])
                return ArchivePage(found, str(ArchiveCursor(week, str(finished_at), (seq,))), damaged)
        return ArchivePage(found, None, damaged)

    def find(self, id: str, filter: ArchiveFilter) -> Operation[ArchivedJob | None]:
        yield from ()
        for week in in_search_order(self._weeks(filter), id):
            job = _WeekFile(self._file(week)).find(id)
            if job is not None:
                return job
        return None

    def week_in_store(self, job: ArchivedJob) -> str | None:
        return None

    def _weeks(self, filter: ArchiveFilter) -> list[str]:
        """The weeks that have a file and may have jobs that match, the newest first."""
        try:
            names = [found[1] for file in self._folder.iterdir() if (found := _NAME.fullmatch(file.name))]
        except OSError as error:
            raise ConfigError(f"the archive {self._folder} cannot be read: {error.strerror}") from error
        first = "" if filter.since is None else week_at(filter.since)
        last = "~" if filter.until is None else week_at(filter.until)
        return sorted((week for week in names if first <= week <= last), reverse=True)

    def _file(self, week: str) -> Path:
        return self._folder / f"jobs-{week}.jsonl.gz"


@dataclass(slots=True)
class _WeekFile:
    """The jobs of one week."""

    file: Path
    damaged: int = field(default=0)
    """How many parts of it, and how many jobs, could not be read so far."""

    def jobs(self, filter: ArchiveFilter, before: Position | None) -> Iterator[ArchivedJob]:
        """Those that match, in the order in which they were written."""
        for job in self._read(lambda line: True):
            if _matches(job, filter) and (before is None or _place(job) < before):
                yield job

    def find(self, id: str) -> ArchivedJob | None:
        """The newest with this id."""
        text = msgspec.json.encode(id)
        found = [job for job in self._read(lambda line: text in line) if job.id == id]
        return found[-1] if found else None

    def _read(self, wanted: Callable[[bytes], bool]) -> Iterator[ArchivedJob]:
        for member in _members(self.file):
            if member is None:
                self.damaged += 1
                continue
            for line in member.splitlines():
                if line and wanted(line):
                    try:
                        yield ArchivedJob.from_json(line)
                    except (msgspec.MsgspecError, UnicodeError):
                        self.damaged += 1


def _members(file: Path) -> Iterator[bytes | None]:
    """What each member holds; None in the place of a stretch that is damaged."""
    with _opened(file) as opened:
        if opened.seek(0, 2) == 0:
            return
        with mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as data:
            at, is_damaged = 0, False
            while 0 <= at < len(data):
                text, end = _unpacked(data, at)
                if text is not None or not is_damaged:
                    yield text
                is_damaged = text is None
                # What looks like a beginning may lie inside of a damaged member: then it is not whole either.
                at = data.find(_GZIP, at + 1) if text is None else end


def _opened(file: Path) -> BufferedReader:
    try:
        return file.open("rb")
    except OSError as error:
        raise ConfigError(f"the archive file {file} cannot be read: {error.strerror}") from error


def _unpacked(data: mmap.mmap, at: int) -> tuple[bytes | None, int]:
    """The member that begins here, whose checksum is right, and where it ends; None if it is not whole."""
    unpack, parts = zlib.decompressobj(_GZIP_ONLY), list[bytes]()
    position = at
    try:
        while not unpack.eof:
            chunk = data[position : position + _CHUNK]
            if not chunk:
                return None, at
            parts.append(unpack.decompress(chunk))
            position += len(chunk)
    except zlib.error:
        return None, at
    return b"".join(parts), position - len(unpack.unused_data)


def _place(job: ArchivedJob) -> Position:
    return job.record.finished_at or 0, job.record.seq


def _position(cursor: ArchiveCursor) -> Position | None:
    return None if cursor.place is None else (int(cursor.place), cursor.given[0] if cursor.given else 0)


def _matches(job: ArchivedJob, filter: ArchiveFilter) -> bool:
    at = job.record.finished_at or 0
    return (
        filter.task in (None, job.task)
        and filter.queue in (None, job.queue)
        and filter.state in (None, job.record.state)
        and (filter.since is None or at >= filter.since)
        and (filter.until is None or at < filter.until)
    )
