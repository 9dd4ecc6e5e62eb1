"""The handle of the archive: looks at archived jobs, and puts them back."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any, Unpack

from windlass.archive.files import FileReader
from windlass.archive.protocol import ArchivedJob
from windlass.archive.query import ArchiveOptions, ArchivePage, ArchiveReader, cursor_of, filter_of
from windlass.archive.table import TableReader
from windlass.archive.writers import FileArchive, OutsideArchive
from windlass.client.client import Client
from windlass.client.job_changes import find_record
from windlass.client.owner import ClientOwner
from windlass.core import validate
from windlass.errors import ConfigError, IdConflict, JobNotFound
from windlass.job import Job
from windlass.store.operation import Operation
from windlass.store.operations.archive.restore import Refusal, restore


class ArchivedJobs:
    """Jobs that retention has put aside: where ``archive=`` of the app says, or in a folder.

    >>> from windlass import Retention, Windlass
    >>> app = Windlass("sqlite:///:memory:", archive="table", retention=Retention(completed="1ms"))
    >>> @app.task(name="mail")
    ... def mail() -> None: ...
    >>> job = mail.options(id="order-7").enqueue()
    >>> ran = app.worker().run_until_empty()
    >>> while not app.clean().archived:  # it has to be a millisecond old
    ...     pass
    >>> [(job.id, job.task, job.state) for job in app.archive.jobs(task="mail")]
    [('order-7', 'mail', 'completed')]
    >>> app.archive.job("order-7").record.attempt
    1
    >>> app.close()
    """

    def __init__(self, app: ClientOwner, folder: Path | None = None) -> None:
        self._app = app
        self._folder = folder

    def at(self, folder: str | Path) -> ArchivedJobs:
        """Those of a folder with archive files."""
        return ArchivedJobs(self._app, Path(folder))

    def jobs(self, *, limit: int = 50, cursor: str | None = None, **filter: Unpack[ArchiveOptions]) -> ArchivePage:
        """A page of archived jobs, the newest weeks first; ``cursor`` takes the ``next`` of the page before.

        A page may be short, or empty, and still have a next one.
        """
        return self._client.session.run(_page(self._reader, limit, cursor, filter))

    async def ajobs(
        self, *, limit: int = 50, cursor: str | None = None, **filter: Unpack[ArchiveOptions]
    ) -> ArchivePage:
        """``jobs`` for async code."""
        return await self._client.session.arun(_page(self._reader, limit, cursor, filter))

    def job(self, id: str, *, since: datetime | None = None, until: datetime | None = None) -> ArchivedJob:
        """The archived job with this id; ``JobNotFound`` when there is none.

        Files, and the archive of Redis, are searched from job to job: for ids of your own, ``since`` and ``until`` of
        its end shorten that.
        """
        return self._client.session.run(_job(self._reader, id, {"since": since, "until": until}))

    async def ajob(self, id: str, *, since: datetime | None = None, until: datetime | None = None) -> ArchivedJob:
        """``job`` for async code."""
        return await self._client.session.arun(_job(self._reader, id, {"since": since, "until": until}))

    def restore(
        self, id: str, *, since: datetime | None = None, until: datetime | None = None, by: str = "api"
    ) -> Job[Any]:
        """Put an archived job back into the store as it was, with its steps, and take it out of the table; files keep
        their copy. ``IdConflict`` where the store has a job with this id.

        Its end is now, so that retention keeps it for the whole time again; its timeline has the end of before. What it
        waited for, and what waited for it, is not known any more.
        """
        return self._client.session.run(_restore(self._client, self._reader, id, {"since": since, "until": until}, by))

    async def arestore(
        self, id: str, *, since: datetime | None = None, until: datetime | None = None, by: str = "api"
    ) -> Job[Any]:
        """``restore`` for async code."""
        restoring = _restore(self._client, self._reader, id, {"since": since, "until": until}, by)
        return await self._client.session.arun(restoring)

    @property
    def _client(self) -> Client:
        """That of the app at this moment: a handle that was made before a test block acts in the block."""
        return self._app.client

    @property
    def _reader(self) -> ArchiveReader:
        if self._folder is not None:
            return FileReader(self._folder)
        archive = self._client.archive
        if not isinstance(archive, OutsideArchive):
            return TableReader(self._client.now)
        if isinstance(archive.archive, FileArchive):
            return FileReader(archive.archive.folder)
        raise ConfigError(
            f"the archive of this app is a {type(archive.archive).__name__}, which Windlass can only write to; read it "
            "where it lies, or name a folder with archive files"
        )


def _page(reader: ArchiveReader, limit: int, cursor: str | None, options: ArchiveOptions) -> Operation[ArchivePage]:
    validate.whole_number(limit, "limit", least=1, most=1000)
    return (yield from reader.page(filter_of(options), limit=limit, cursor=cursor_of(cursor)))


def _job(reader: ArchiveReader, id: str, options: ArchiveOptions) -> Operation[ArchivedJob]:
    job = yield from reader.find(validate.job_id(id), filter_of(options))
    if job is None:
        raise JobNotFound(f"there is no job {id!r} in the archive")
    return job


def _restore(client: Client, reader: ArchiveReader, id: str, options: ArchiveOptions, by: str) -> Operation[Job[Any]]:
    archived = yield from _job(reader, id, options)
    refusal = yield from restore(archived.record, archived.steps, week=reader.week_in_store(archived), by=by)
    if refusal is Refusal.TAKEN:
        raise IdConflict(f"job {id!r} is in the store already; delete that one first, if this one is to take its place")
    if refusal is Refusal.GONE:
        raise JobNotFound(f"job {id!r} was taken out of the archive meanwhile")
    return Job.of(client, (yield from find_record(id)))
