"""Failed jobs by cause: few are grouped for a page, many beside the requests."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from windlass.app import Windlass
from windlass.core.fault import Fault, fingerprint
from windlass.core.state import State
from windlass.insight.diagnostics.failures import FailureGroup, FailureGroups, failure_groups
from windlass.job import Job
from windlass.store.operations.diagnostics.failures import WINDOW
from windlass.web.readings.background_reading import BackgroundReading
from windlass.web.site.recent import Recent

_MOST = 100
"""How many groups a page shows."""


class Causes:
    """Groups the failed jobs of one store: ``newest`` of them now, and all where there are more."""

    def __init__(self, *, newest: int = WINDOW) -> None:
        self._newest = newest
        self._all: BackgroundReading[FailureGroups] | None = None

    async def read(self, app: Windlass) -> FailureGroups:
        """The largest groups first; of the newest failed jobs until all were grouped once."""
        session, encryption = app.client.session, app.client.encryption
        if self._all is not None and (last := self._all.last(session)) is not None:
            return last.value
        newest = await session.arun(failure_groups(_MOST, encryption, most=self._newest))
        if newest.is_whole:
            return newest
        if self._all is None:
            self._all = BackgroundReading(lambda: failure_groups(_MOST, encryption))
            self._all.last(session)  # begins to read
        return newest


_KEPT: WeakKeyDictionary[Windlass, Causes] = WeakKeyDictionary()


async def _read(app: Windlass) -> FailureGroups:
    return await _KEPT.setdefault(app, Causes()).read(app)


_RECENT = Recent(_read, seconds=5)


async def failed_alike(app: Windlass, job: Job[Any]) -> FailureGroup | None:
    """The failed jobs of the same task with the cause of this job's newest error; None where none is listed, or the job
    did not fail in the end.
    """
    if job.state in (State.COMPLETED, State.CANCELLED) or not (job.record.cause or job.errors):
        return None
    # Jobs that are to run again keep no cause in the store; those of encrypted jobs are keyed.
    known = {job.record.cause} if job.record.cause else _causes_of(app, job.errors[-1])
    return next((group for group in await causes(app) if group.task == job.task and group.cause in known), None)


def _causes_of(app: Windlass, fault: Fault) -> set[str | None]:
    found = fingerprint(fault)
    encryption = app.client.encryption
    return {found, encryption.digest(found.encode())[: len(found)]} if encryption.is_on else {found}


async def causes(app: Windlass) -> FailureGroups:
    """The groups of a store, for all who look at pages."""
    return await _RECENT.of(app)
