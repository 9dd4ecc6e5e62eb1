"""The handle of a group: results, progress, more members, another try for those that failed."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from windlass import clock
from windlass.client.job_changes import CANCELLED, find_record
from windlass.client.session import ANY_JOB
from windlass.core.codec.types.group_results import GroupResults
from windlass.core.state import FINISHED, State
from windlass.core.units import duration
from windlass.errors import ConfigError, Duration, JobNotFound
from windlass.flows.flow import AT_ONCE, Flow, FlowProgress, first_failed
from windlass.flows.results import Results
from windlass.store.operation import Operation
from windlass.store.operations import jobs as operations
from windlass.store.operations import queries
from windlass.store.operations.flows.causes import DEPENDENCY, causes
from windlass.store.operations.flows.groups import group_counts, groups_of, members
from windlass.task import Request, checked_requests

if TYPE_CHECKING:
    from windlass.client.client import Client
    from windlass.core.records import JobRecord
    from windlass.job import Job
    from windlass.store.operations.enqueue import Enqueued


class GroupFlow(Flow):
    """Jobs side by side, and the callback that gets their results.

    >>> from windlass import Windlass, group
    >>> app = Windlass("sqlite:///:memory:")
    >>> @app.task
    ... def double(number: int) -> int:
    ...     return 2 * number
    >>> flow = group([double.request(n) for n in range(3)]).enqueue()
    >>> flow.progress().states
    {<State.PENDING: 'pending'>: 3}
    >>> app.worker().run_until_empty()
    3
    >>> list(flow.results(timeout=5))
    [0, 2, 4]
    >>> app.close()
    """

    def __init__(
        self, client: Client, jobs: Sequence[Job[Any]], members: Sequence[Job[Any]], callback: Job[Any] | None
    ) -> None:
        super().__init__(client, jobs)
        self.members = tuple(members)
        """Those that were enqueued with it; ``add`` does not change this list."""
        self.callback = callback
        """The job that gets their results; None for a group without one."""

    def __repr__(self) -> str:
        what = "without a callback" if self.callback is None else f"for {self.callback.id}"
        return f"<GroupFlow of {len(self.members):,} members {what}>"

    def wait(self, timeout: Duration | None = None) -> None:
        """Wait until the callback has ended, or, without one, all members have; ``JobTimeout`` after ``timeout``."""
        if self.callback is None:
            self.results(timeout)
        else:
            self.callback.wait(timeout)

    async def await_done(self, timeout: Duration | None = None) -> None:
        """``wait`` for async code."""
        if self.callback is None:
            await self.aresults(timeout)
        else:
            await self.callback.await_done(timeout)

    def result(self, timeout: Duration | None = None) -> Any:
        """What the callback returned; without a callback the results of all members. Raises what a member raised
        because of which there is none.
        """
        if self.callback is not None:
            return super().result(timeout)
        results = self.results(timeout)
        self._raise_cause()
        return results

    async def aresult(self, timeout: Duration | None = None) -> Any:
        """``result`` for async code."""
        if self.callback is not None:
            return await super().aresult(timeout)
        results = await self.aresults(timeout)
        await self._araise_cause()
        return results

    def results(self, timeout: Duration | None = None) -> Results:
        """Wait until all members have ended, and give what they returned, in order; see ``Results``."""
        left, after = _Patience(timeout), -1
        while True:
            member, after = self._client.session.run(self._first_open(after))
            if member is None:
                return self._results()
            with suppress(JobNotFound):
                member.wait(left.seconds)

    async def aresults(self, timeout: Duration | None = None) -> Results:
        """``results`` for async code."""
        left, after = _Patience(timeout), -1
        while True:
            member, after = await self._client.session.arun(self._first_open(after))
            if member is None:
                return self._results()
            with suppress(JobNotFound):
                await member.await_done(left.seconds)

    def progress(self) -> FlowProgress:
        """How many of the members are in which state."""
        return self._client.session.run(self._progress())

    async def aprogress(self) -> FlowProgress:
        """``progress`` for async code."""
        return await self._client.session.arun(self._progress())

    def cancel(self, *, by: str = "api", reason: str | None = None) -> int:
        """Cancel the callback and the members that wait, and ask those that run to stop; how many jobs that changed."""
        return self._client.session.run(self._cancel_all(by, reason), notify=CANCELLED)

    async def acancel(self, *, by: str = "api", reason: str | None = None) -> int:
        """``cancel`` for async code."""
        return await self._client.session.arun(self._cancel_all(by, reason), notify=CANCELLED)

    def retry_failed(self, *, by: str = "api") -> int:
        """Run the members again that failed, with a fresh budget of attempts; how many jobs that were.

        Of a member that is a chain or a group, what failed in it. A callback that was cancelled because of them waits
        again. One that has run does not run a second time.
        """
        return self._client.session.run(self._retry_failed(by), notify=ANY_JOB)

    async def aretry_failed(self, *, by: str = "api") -> int:
        """``retry_failed`` for async code."""
        return await self._client.session.arun(self._retry_failed(by), notify=ANY_JOB)

    def add(self, *requests: Request) -> list[Job[Any]]:
        """Enqueue more members, all or none, for which the callback waits too. Their results come behind the others.

        To be called from inside a member (``current_job().group()``): while that runs, the group is open. Once the
        callback waits for no member any more it is ``ConfigError``, and nothing is stored.
        """
        return self._jobs(self._client.session.store(self._adding(requests)))

    async def aadd(self, *requests: Request) -> list[Job[Any]]:
        """``add`` for async code."""
        return self._jobs(await self._client.session.astore(self._adding(requests)))

    def _first_failed(self) -> Operation[Job[Any] | None]:
        """Also of those that were added."""
        failed = yield from super()._first_failed()
        if failed is not None or self.callback is None:
            return failed
        members = yield from self._all_members()
        return first_failed(members, (yield from self._find(members)))

    def _adding(self, requests: Sequence[Request]) -> Operation[list[Enqueued]]:
        if self.callback is None:
            raise ConfigError("group: without a callback nothing waits for another member; enqueue the job by itself")
        if self._client.transactions.joined(requests) is not None:
            raise ConfigError(
                "group: members are not added inside a transaction of the caller's: the callback may have run before "
                "it is committed; add them before it begins, or after it"
            )
        return self._client.enqueuer.prepare_added(self.callback.id, checked_requests(requests))

    def _jobs(self, stored: Sequence[Enqueued]) -> list[Job[Any]]:
        from windlass.job import Job

        return [Job.stored(self._client, one) for one in stored]

    def _results(self) -> Results:
        if self.callback is None:
            return Results(self._client, [member.id for member in self.members])
        return Results(self._client, GroupResults(self.callback.id, 0))

    def _all_members(self) -> Operation[Sequence[Job[Any]]]:
        """With those that were added; one that is gone is left out."""
        if self.callback is None:
            return self.members
        return (yield from _stored_members(self._client, (yield from self._seq_of_callback())))

    def _first_open(self, after: int) -> Operation[tuple[Job[Any] | None, int]]:
        """The first member behind a place that has not ended, and the place before it."""
        if self.callback is None:
            return (yield from self._first_open_of(self.members, after))
        from windlass.job import Job

        seq = yield from self._seq_of_callback()
        while page := (yield from members(seq, after=after)):
            for member in page:
                if member.id and member.state and member.state not in FINISHED:
                    return Job(self._client, member.id, state=member.state), after
                after = member.place
        return None, after

    def _first_open_of(self, jobs: Sequence[Job[Any]], after: int) -> Operation[tuple[Job[Any] | None, int]]:
        while page := jobs[after + 1 : after + 1 + AT_ONCE]:
            records = yield from self._find(page)
            for job in page:
                if job.id in records and records[job.id].state not in FINISHED:
                    return job, after
                after += 1
        return None, after

    def _seq_of_callback(self) -> Operation[int]:
        assert self.callback is not None
        found = yield from queries.find([self.callback.id])
        if self.callback.id not in found:
            raise JobNotFound(f"group: the callback {self.callback.id!r} is gone, and with it what the group was")
        return found[self.callback.id].seq

    def _progress(self) -> Operation[FlowProgress]:
        if self.callback is None:
            return (yield from self._count())
        counts = yield from group_counts((yield from self._seq_of_callback()))
        states = {state: number for state, number in counts.items() if state is not None}
        return FlowProgress(sum(counts.values()), states)

    def _cancel_all(self, by: str, reason: str | None) -> Operation[int]:
        """The callback first: it is not to begin because the members have ended. Those that were added are included."""
        found = yield from self._cancel(by, reason)
        ids = {job.id for job in self.jobs}
        added = [member for member in (yield from self._all_members()) if member.id not in ids]
        records = yield from self._find(added)
        seqs = [record.seq for record in records.values()]
        for first in range(0, len(seqs), AT_ONCE):
            found += len((yield from operations.cancel(seqs[first : first + AT_ONCE], by=by, reason=reason)))
        return found

    def _retry_failed(self, by: str) -> Operation[int]:
        records = yield from self._find((yield from self._all_members()))
        failed = [record.seq for record in records.values() if record.state is State.FAILED]
        without = [record.seq for record in records.values() if record.reason == DEPENDENCY]
        upstream = yield from causes(without)
        failed += [record.seq for record in upstream if record.state is State.FAILED]
        number = 0
        for first in range(0, len(failed), AT_ONCE):
            retried = yield from operations.retry(failed[first : first + AT_ONCE], by=by)
            number += len(retried.seqs)
        return number

    def _find(self, jobs: Sequence[Job[Any]]) -> Operation[dict[str, JobRecord]]:
        found: dict[str, JobRecord] = {}
        for first in range(0, len(jobs), AT_ONCE):
            found |= yield from queries.find([job.id for job in jobs[first : first + AT_ONCE]])
        return found


class _Patience:
    """How much is left of a time limit."""

    def __init__(self, timeout: Duration | None) -> None:
        self._until = None if timeout is None else clock.monotonic() + duration(timeout, "timeout").total_seconds()

    @property
    def seconds(self) -> float | None:
        return None if self._until is None else max(0.0, self._until - clock.monotonic())


def group_of(client: Client, id: str) -> Operation[GroupFlow | None]:
    """The group that a job is a member of, or the callback; None if there is none."""
    from windlass.job import Job

    record = yield from find_record(id)
    groups = yield from groups_of(record.seq)
    if not groups and not (yield from members(record.seq, limit=1)):
        return None
    callback: Job[Any] = Job(client, groups[0].callback if groups else id, state=State.BLOCKED)
    found = yield from _stored_members(client, groups[0].seq if groups else record.seq)
    return GroupFlow(client, [*found, callback], found, callback)


def _stored_members(client: Client, seq: int) -> Operation[list[Job[Any]]]:
    """Those of the group whose callback has this number; one that is gone is left out."""
    from windlass.job import Job

    found: list[Job[Any]] = []
    after = -1
    while page := (yield from members(seq, after=after)):
        found += [Job(client, member.id, state=member.state) for member in page if member.id and member.state]
        after = page[-1].place
    return found
