"""The handle of jobs that were enqueued together: result, progress, and what can be done to all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from windlass.client.job_changes import CANCELLED
from windlass.core.state import FINISHED, State
from windlass.errors import Duration, JobCancelled
from windlass.store.operation import Operation
from windlass.store.operations import jobs as operations
from windlass.store.operations import queries
from windlass.store.operations.flows.causes import DEPENDENCY, causes

if TYPE_CHECKING:
    from windlass.client.client import Client
    from windlass.core.records import JobRecord
    from windlass.job import Job

AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class FlowProgress:
    """How far jobs that belong together have come.

    >>> FlowProgress(4, {State.COMPLETED: 2, State.FAILED: 1, State.RUNNING: 1}).done
    3
    """

    total: int
    states: dict[State, int]
    """How many jobs there are in each state; those that are gone are in none."""

    @property
    def done(self) -> int:
        """How many have finished, or are gone."""
        return self.total - sum(number for state, number in self.states.items() if state not in FINISHED)

    @property
    def completed(self) -> int:
        return self.states.get(State.COMPLETED, 0)

    @property
    def failed(self) -> int:
        return self.states.get(State.FAILED, 0)


class Flow:
    """Jobs that were enqueued together. The last one gives the result of all.

    >>> from windlass import Windlass, chain
    >>> app = Windlass("sqlite:///:memory:")
    >>> @app.task
    ... def double(number: int) -> int:
    ...     return 2 * number
    >>> flow = chain(double.request(5), double.request()).enqueue()
    >>> [str(job.state) for job in flow.jobs]
    ['pending', 'blocked']
    >>> app.worker().run_until_empty()
    2
    >>> flow.result(), flow.progress().completed
    (20, 2)
    >>> app.close()
    """

    def __init__(self, client: Client, jobs: Sequence[Job[Any]]) -> None:
        self._client = client
        self.jobs = tuple(jobs)

    def __repr__(self) -> str:
        return f"<Flow of {len(self.jobs)} jobs, the last is {self.last.id}>"

    @property
    def last(self) -> Job[Any]:
        """The job that gives the result."""
        return self.jobs[-1]

    def result(self, timeout: Duration | None = None) -> Any:
        """Wait for the last job and return what it returned; raises what the job raised because of which it did not
        run.
        """
        try:
            return self.last.result(timeout)
        except JobCancelled:
            self._raise_cause()
            raise

    async def aresult(self, timeout: Duration | None = None) -> Any:
        """``result`` for async code."""
        try:
            return await self.last.aresult(timeout)
        except JobCancelled:
            await self._araise_cause()
            raise

    def progress(self) -> FlowProgress:
        """How many of the jobs are in which state."""
        return self._client.session.run(self._count())

    async def aprogress(self) -> FlowProgress:
        """``progress`` for async code."""
        return await self._client.session.arun(self._count())

    def cancel(self, *, by: str = "api", reason: str | None = None) -> int:
        """Cancel what waits, and ask what runs to stop; how many jobs that changed."""
        return self._client.session.run(self._cancel(by, reason), notify=CANCELLED)

    async def acancel(self, *, by: str = "api", reason: str | None = None) -> int:
        """``cancel`` for async code."""
        return await self._client.session.arun(self._cancel(by, reason), notify=CANCELLED)

    def _raise_cause(self) -> None:
        """Raise what a job raised because of which there is no result."""
        if (failed := self._client.session.run(self._first_failed())) is not None:
            failed.result()

    async def _araise_cause(self) -> None:
        if (failed := await self._client.session.arun(self._first_failed())) is not None:
            await failed.aresult()

    def _first_failed(self) -> Operation[Job[Any] | None]:
        """Also of those that it does not know: what a job waits for that was here before, members of inner groups."""
        found = yield from self._records()
        if (failed := first_failed(self.jobs, found)) is not None:
            return failed
        upstream = yield from causes([record.seq for record in found.values() if record.reason == DEPENDENCY])
        ids = [record.id for record in upstream if record.state is State.FAILED]
        return type(self.last)(self._client, ids[0], state=State.FAILED) if ids else None

    def _records(self) -> Operation[dict[str, JobRecord]]:
        found: dict[str, JobRecord] = {}
        for first in range(0, len(self.jobs), AT_ONCE):
            found |= yield from queries.find([job.id for job in self.jobs[first : first + AT_ONCE]])
        return found

    def _count(self) -> Operation[FlowProgress]:
        return _progress(len(self.jobs), (yield from self._records()))

    def _cancel(self, by: str, reason: str | None) -> Operation[int]:
        """The last ones first: none of them is to begin because the one before it has ended."""
        found = yield from self._records()
        seqs = [found[job.id].seq for job in reversed(self.jobs) if job.id in found]
        number = 0
        for first in range(0, len(seqs), AT_ONCE):
            number += len((yield from operations.cancel(seqs[first : first + AT_ONCE], by=by, reason=reason)))
        return number


def first_failed(jobs: Sequence[Job[Any]], found: Mapping[str, JobRecord]) -> Job[Any] | None:
    """The first of these jobs that has failed."""
    return next((job for job in jobs if job.id in found and found[job.id].state is State.FAILED), None)


def _progress(total: int, found: dict[str, JobRecord]) -> FlowProgress:
    return FlowProgress(total, dict(Counter(record.state for record in found.values())))
