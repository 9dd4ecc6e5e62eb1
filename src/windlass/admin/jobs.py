"""The operator's methods for jobs: look up, count, cancel, fail, retry, purge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from msgspec.structs import replace

from windlass.admin import handles
from windlass.client.job_changes import CANCELLED, cancel_job, fail_job, find_record, retry_job
from windlass.client.owner import ClientOwner
from windlass.client.session import ANY_JOB
from windlass.core import validate
from windlass.core.rates.rate import read_gap
from windlass.core.state import FINISHED, State
from windlass.core.units import milliseconds
from windlass.errors import ConfigError, Duration
from windlass.insight import reads
from windlass.job import Job
from windlass.store.operation import Operation
from windlass.store.operations import jobs, queries
from windlass.store.operations.queries import Filter

if TYPE_CHECKING:
    from windlass.admin.archive import ArchivedJobs
    from windlass.client.client import Client
    from windlass.insight.diagnostics.failures import FailureGroups
    from windlass.insight.job_filter import JobFilter
    from windlass.insight.job_page import JobPage


class JobsOperator(ClientOwner):
    """The part of ``Windlass`` that is about jobs. Each pair of methods runs one operation."""

    def job(self, id: str) -> Job[Any]:
        """The job with this id; ``JobNotFound`` when there is none."""
        return self.client.session.run(_job(self.client, id))

    async def ajob(self, id: str) -> Job[Any]:
        """``job`` for async code."""
        return await self.client.session.arun(_job(self.client, id))

    def jobs(self, *, limit: int = 50, cursor: int | None = None, **filter: Unpack[JobFilter]) -> JobPage:
        """A page of jobs, the newest first; ``cursor`` takes the ``next`` of the page before."""
        return self.client.session.run(
            reads.job_page(self.client, reads.filter_for(self.client, filter), limit, cursor)
        )

    async def ajobs(self, *, limit: int = 50, cursor: int | None = None, **filter: Unpack[JobFilter]) -> JobPage:
        """``jobs`` for async code."""
        return await self.client.session.arun(
            reads.job_page(self.client, reads.filter_for(self.client, filter), limit, cursor)
        )

    @property
    def archive(self) -> ArchivedJobs:
        """Jobs that retention has put aside: ``app.archive.jobs(task="mail")``."""
        return handles.ArchivedJobs(self)

    def counts(self, queue: str | None = None) -> dict[str, int]:
        """How many jobs are in each state, in one queue or all; every state is present."""
        return self.client.session.run(queries.totals(queue))

    async def acounts(self, queue: str | None = None) -> dict[str, int]:
        """``counts`` for async code."""
        return await self.client.session.arun(queries.totals(queue))

    def dead_groups(self, limit: int = 100) -> FailureGroups:
        """Failed jobs grouped by task, reason and cause, the largest group first and muted ones last: the newest
        100,000 of them.
        """
        return self.client.session.run(reads.failure_groups(limit, self.client.encryption))

    async def adead_groups(self, limit: int = 100) -> FailureGroups:
        """``dead_groups`` for async code."""
        return await self.client.session.arun(reads.failure_groups(limit, self.client.encryption))

    def cancel(self, id: str, *, by: str = "api", reason: str | None = None, descendants: bool = False) -> bool:
        """Cancel a job that waits, or ask a running one to stop; False when it has finished, and nothing changes.

        With ``descendants`` all jobs that wait, or waited, for it too, however deep.
        """
        changes = cancel_job(id, by=by, reason=reason, descendants=descendants)
        return self.client.session.run(changes, notify=CANCELLED)

    async def acancel(self, id: str, *, by: str = "api", reason: str | None = None, descendants: bool = False) -> bool:
        """``cancel`` for async code."""
        changes = cancel_job(id, by=by, reason=reason, descendants=descendants)
        return await self.client.session.arun(changes, notify=CANCELLED)

    def fail(self, id: str, reason: str | None = None, *, by: str = "api") -> bool:
        """End a job that waits or runs as failed (``by_hand``), without a retry; whether it ran.

        ``IllegalTransition`` when it has ended. Code that runs may go on until the next heartbeat of its worker;
        nothing that it writes counts any more.
        """
        return self.client.session.run(fail_job(id, by=by, text=reason, now=self.client.now()), notify=CANCELLED)

    async def afail(self, id: str, reason: str | None = None, *, by: str = "api") -> bool:
        """``fail`` for async code."""
        return await self.client.session.arun(fail_job(id, by=by, text=reason, now=self.client.now()), notify=CANCELLED)

    def retry(self, id: str, *, queue: str | None = None, by: str = "api") -> None:
        """Run a job again with a fresh budget of attempts; ``IllegalTransition`` when its state does not allow it."""
        self.client.session.run(retry_job(id, queue=queue, by=by), notify=ANY_JOB)

    async def aretry(self, id: str, *, queue: str | None = None, by: str = "api") -> None:
        """``retry`` for async code."""
        await self.client.session.arun(retry_job(id, queue=queue, by=by), notify=ANY_JOB)

    def retry_all(
        self,
        *,
        to_queue: str | None = None,
        rate: str | None = None,
        by: str = "api",
        **filter: Unpack[JobFilter],
    ) -> int:
        """Retry every job that matches (failed ones, unless ``state`` is given), in small batches; how many.

        With a ``rate``, such as ``"20/s"``, they are scheduled that far apart: no process has to stay up for it.
        """
        return self.client.session.run(_retry_all(self.client, filter, to_queue, rate, by), notify=ANY_JOB)

    async def aretry_all(
        self,
        *,
        to_queue: str | None = None,
        rate: str | None = None,
        by: str = "api",
        **filter: Unpack[JobFilter],
    ) -> int:
        """``retry_all`` for async code."""
        return await self.client.session.arun(_retry_all(self.client, filter, to_queue, rate, by), notify=ANY_JOB)

    def cancel_all(self, *, by: str = "api", because: str | None = None, **filter: Unpack[JobFilter]) -> int:
        """Cancel every job of a state that matches, in small batches; how many.

        ``because`` is kept in the timeline of each, as the ``reason`` of ``cancel`` is; ``reason`` is a filter here.
        """
        return self.client.session.run(
            jobs.cancel_all(_of_a_state(self.client, filter, "cancel_all"), by=by, reason=because), notify=CANCELLED
        )

    async def acancel_all(self, *, by: str = "api", because: str | None = None, **filter: Unpack[JobFilter]) -> int:
        """``cancel_all`` for async code."""
        return await self.client.session.arun(
            jobs.cancel_all(_of_a_state(self.client, filter, "cancel_all"), by=by, reason=because), notify=CANCELLED
        )

    def purge(self, *, older_than: Duration | None = None, **filter: Unpack[JobFilter]) -> int:
        """Delete every job of a state, or only those finished (or made) longer ago than that; how many."""
        return self.client.session.run(jobs.purge(self._old(_of_a_state(self.client, filter, "purge"), older_than)))

    async def apurge(self, *, older_than: Duration | None = None, **filter: Unpack[JobFilter]) -> int:
        """``purge`` for async code."""
        return await self.client.session.arun(
            jobs.purge(self._old(_of_a_state(self.client, filter, "purge"), older_than))
        )

    def _old(self, filter: Filter, older_than: Duration | None) -> Filter:
        """Narrowed to jobs that finished, or were made, longer ago than that."""
        if older_than is None:
            return filter
        before = self.client.now() - milliseconds(older_than, "older_than")
        is_finished = filter.states is not None and filter.states[0] in FINISHED
        return replace(filter, finished_before=before) if is_finished else replace(filter, until=before)


def _job(client: Client, id: str) -> Operation[Job[Any]]:
    record = yield from find_record(id)
    return Job.of(client, record)


def _retry_all(client: Client, filter: JobFilter, to_queue: str | None, rate: str | None, by: str) -> Operation[int]:
    if to_queue is not None:
        validate.queue_name(to_queue)
    gap = read_gap(rate)
    return jobs.retry_all(
        reads.filter_for(client, {"state": State.FAILED, **filter}), to_queue=to_queue, by=by, gap=gap
    )


def _of_a_state(client: Client, filter: JobFilter, verb: str) -> Filter:
    """The filter of a change of many jobs, which must name a state: a forgotten argument must not purge everything."""
    if filter.get("state") is None:
        raise ConfigError(f"{verb} needs a state, as in {verb}(state='failed')")
    return reads.filter_for(client, filter)
