"""The handle of one job: its state, its result, and what can be done to it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from windlass import clock
from windlass.client.job_changes import CANCELLED, cancel_job, fail_job, find_record, retry_job
from windlass.client.job_fields import JobFields
from windlass.client.job_result import JobWait, check_found, value_of
from windlass.client.result_waiter import refuse_on_loop_thread
from windlass.client.session import ANY_JOB
from windlass.core import validate
from windlass.core.encryption.jobs import open_record
from windlass.core.records import JobRecord
from windlass.core.state import FINISHED, State
from windlass.core.units import milliseconds
from windlass.errors import Duration, IllegalTransition
from windlass.insight import reads
from windlass.steps.view import StepView, step_views
from windlass.store.operation import Operation
from windlass.store.operations import jobs, queries
from windlass.store.operations.flows import edges
from windlass.store.operations.leases import lease_ends

if TYPE_CHECKING:
    from windlass.client.client import Client
    from windlass.flows.group_flow import GroupFlow
    from windlass.insight.flows.graph import FlowGraph
    from windlass.insight.timeline import TimelineEntry
    from windlass.store.operations.enqueue import Enqueued

R = TypeVar("R")


class Job(JobFields, Generic[R]):
    """One request to run a task. What it shows is a snapshot; ``refresh()`` reads it anew.

    >>> from windlass import Windlass
    >>> app = Windlass("sqlite:///:memory:")
    >>> @app.task
    ... def double(number: int) -> int:
    ...     return 2 * number
    >>> job = double.options(delay="10m").enqueue(21)
    >>> job.state, job.done
    (<State.SCHEDULED: 'scheduled'>, False)
    >>> job.why()
    'it is scheduled, due in 0:10:00'
    >>> job.reschedule(0).state
    <State.PENDING: 'pending'>
    >>> with app.worker():
    ...     job.result(timeout=5)
    42
    >>> [entry.kind for entry in job.timeline()]
    ['created', 'claimed', 'started', 'completed']
    >>> app.close()
    """

    def __init__(
        self, client: Client, id: str, *, state: State, duplicate: bool = False, replaced: bool = False
    ) -> None:
        self._client = client
        self._stored: JobRecord | None = None
        """As the store keeps it; ``_record`` is opened as far as there are keys."""
        self._record: JobRecord | None = None
        self._state = state
        self.id = id
        self.duplicate = duplicate
        """Whether the job was there already: the same explicit id, or a unique key that is held."""
        self.replaced = replaced
        """Whether the job that was there has taken the arguments of this enqueue (``Unique(on_conflict=...)``)."""

    @classmethod
    def stored(cls, client: Client, stored: Enqueued) -> Job[R]:
        """The handle for what an enqueue has stored or found."""
        return cls(client, stored.id, state=stored.state, duplicate=stored.is_duplicate, replaced=stored.is_replaced)

    @classmethod
    def of(cls, client: Client, record: JobRecord) -> Job[R]:
        """The handle for a record that was just read."""
        job: Job[R] = cls(client, record.id, state=record.state)
        job._take_in(record)
        return job

    def _take_in(self, record: JobRecord) -> None:
        self._stored = record
        self._record = open_record(self._client.encryption, record)

    def __repr__(self) -> str:
        return f"<Job {self.id} {self.state}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Job) and other.id == self.id

    def __hash__(self) -> int:
        return hash(self.id)

    @property
    def state(self) -> State:
        return self._state if self._record is None else self._record.state

    @property
    def done(self) -> bool:
        """Whether the job had finished when it was last read."""
        return self.state in FINISHED

    @property
    def record(self) -> JobRecord:
        """Everything the store knows, decrypted as far as there are keys; read from the store if it was not yet."""
        if self._record is None:
            refuse_on_loop_thread("the first look at a job's fields", "job.arefresh()")
            self.refresh()
        return cast(JobRecord, self._record)

    @property
    def as_stored(self) -> JobRecord:
        """The same as the store keeps it: with its texts encrypted, if they are."""
        assert self.record is not None
        return cast(JobRecord, self._stored)

    @property
    def encrypted(self) -> dict[str, str]:
        """Which of its texts are encrypted in the store, each with the id of its key, be it at hand or not."""
        return reads.encrypted_texts(self.as_stored)

    @property
    def lease_expires_at(self) -> datetime | None:
        """When the lease of a running job is over, unless its worker renews it, as the store says now; else None."""
        return self._client.session.run(self._lease_end())

    async def alease_expires_at(self) -> datetime | None:
        """``lease_expires_at`` for async code."""
        return await self._client.session.arun(self._lease_end())

    @property
    def parents(self) -> list[Job[Any]]:
        """The jobs that it waits, or waited, for, as they are now, in the order in which they were named."""
        refuse_on_loop_thread("job.parents", "job.aparents()")
        return self._client.session.run(self._relatives(edges.parents))

    async def aparents(self) -> list[Job[Any]]:
        """``parents`` for async code."""
        return await self._client.session.arun(self._relatives(edges.parents))

    @property
    def children(self) -> list[Job[Any]]:
        """The jobs that wait, or waited, for it, as they are now, in the order in which they were stored."""
        refuse_on_loop_thread("job.children", "job.achildren()")
        return self._client.session.run(self._relatives(edges.children))

    async def achildren(self) -> list[Job[Any]]:
        """``children`` for async code."""
        return await self._client.session.arun(self._relatives(edges.children))

    def flow(self) -> FlowGraph:
        """All jobs that hang together with it, with their states: what they wait for, and what waits for them."""
        return self._client.session.run(self._flow())

    async def aflow(self) -> FlowGraph:
        """``flow`` for async code."""
        return await self._client.session.arun(self._flow())

    def refresh(self) -> Job[R]:
        """Read the job anew; ``JobNotFound`` when it is gone."""
        return self._client.session.run(self._refresh())

    async def arefresh(self) -> Job[R]:
        """``refresh`` for async code."""
        return await self._client.session.arun(self._refresh())

    def result(self, timeout: Duration | None = None) -> R:
        """Wait for the job to finish and return what it returned.

        Raises ``JobFailed``, ``JobCancelled``, ``JobNotFound``, or ``JobTimeout`` after ``timeout``; waiting goes on
        through retries.
        """
        refuse_on_loop_thread("job.result()", "job.aresult()")
        return cast(R, value_of(self._client, self._wait(timeout).wait()))

    async def aresult(self, timeout: Duration | None = None) -> R:
        """``result`` for async code."""
        return cast(R, value_of(self._client, await self._wait(timeout).await_done()))

    def wait(self, timeout: Duration | None = None) -> Job[R]:
        """Wait for the job to finish, however it ends; ``JobTimeout`` after ``timeout``."""
        refuse_on_loop_thread("job.wait()", "job.await_done()")
        check_found(self._wait(timeout).wait())
        return self.refresh()

    async def await_done(self, timeout: Duration | None = None) -> Job[R]:
        """``wait`` for async code."""
        check_found(await self._wait(timeout).await_done())
        return await self.arefresh()

    def cancel(self, *, by: str = "api", reason: str | None = None, descendants: bool = False) -> bool:
        """Cancel a job that waits, or ask a running one to stop; False when it has finished, and nothing changes.

        With ``descendants`` all jobs that wait, or waited, for it too, however deep; False when none of them changed.
        """
        changes = cancel_job(self.id, by=by, reason=reason, descendants=descendants)
        return self._client.session.run(changes, notify=CANCELLED)

    async def acancel(self, *, by: str = "api", reason: str | None = None, descendants: bool = False) -> bool:
        """``cancel`` for async code."""
        changes = cancel_job(self.id, by=by, reason=reason, descendants=descendants)
        return await self._client.session.arun(changes, notify=CANCELLED)

    def fail(self, reason: str | None = None, *, by: str = "api") -> Job[R]:
        """End a job that waits or runs as failed (``by_hand``), without a retry; ``IllegalTransition`` if it has ended.

        What it held (unique key, concurrency key, slot of a limit) is free at once. Code that runs may go on until the
        next heartbeat of its worker; nothing that it writes counts any more.
        """
        self._client.session.run(fail_job(self.id, by=by, text=reason, now=self._client.now()), notify=CANCELLED)
        return self.refresh()

    async def afail(self, reason: str | None = None, *, by: str = "api") -> Job[R]:
        """``fail`` for async code."""
        await self._client.session.arun(fail_job(self.id, by=by, text=reason, now=self._client.now()), notify=CANCELLED)
        return await self.arefresh()

    def retry(self, *, queue: str | None = None, by: str = "api") -> Job[R]:
        """Run it again with a fresh budget of attempts; also runs a waiting job now, one that waits for others too."""
        self._client.session.run(retry_job(self.id, queue=queue, by=by), notify=ANY_JOB)
        return self.refresh()

    async def aretry(self, *, queue: str | None = None, by: str = "api") -> Job[R]:
        """``retry`` for async code."""
        await self._client.session.arun(retry_job(self.id, queue=queue, by=by), notify=ANY_JOB)
        return await self.arefresh()

    def reschedule(self, when: Duration | datetime) -> Job[R]:
        """Move a waiting job: a length of time from now, or an instant."""
        self._client.session.run(self._reschedule(when), notify=ANY_JOB)
        return self.refresh()

    async def areschedule(self, when: Duration | datetime) -> Job[R]:
        """``reschedule`` for async code."""
        await self._client.session.arun(self._reschedule(when), notify=ANY_JOB)
        return await self.arefresh()

    def delete(self) -> None:
        """Remove the job; ``IllegalTransition`` while it runs."""
        self._client.session.run(self._delete())

    async def adelete(self) -> None:
        """``delete`` for async code."""
        await self._client.session.arun(self._delete())

    def steps(self) -> list[StepView]:
        """The durable steps that its runs have recorded, in order."""
        return self._client.session.run(self._steps())

    async def asteps(self) -> list[StepView]:
        """``steps`` for async code."""
        return await self._client.session.arun(self._steps())

    def group(self) -> GroupFlow | None:
        """The group that it is a member of, or the callback; None if there is none."""
        from windlass.flows.group_flow import group_of

        return self._client.session.run(group_of(self._client, self.id))

    async def agroup(self) -> GroupFlow | None:
        """``group`` for async code."""
        from windlass.flows.group_flow import group_of

        return await self._client.session.arun(group_of(self._client, self.id))

    def timeline(self) -> list[TimelineEntry]:
        """Everything that happened to the job, in order."""
        return self._client.session.run(self._timeline())

    async def atimeline(self) -> list[TimelineEntry]:
        """``timeline`` for async code."""
        return await self._client.session.arun(self._timeline())

    def why(self) -> str:
        """Why the job is not running, in a sentence."""
        return self._client.session.run(self._why())

    async def awhy(self) -> str:
        """``why`` for async code."""
        return await self._client.session.arun(self._why())

    def _refresh(self) -> Operation[Job[R]]:
        self._take_in((yield from find_record(self.id)))
        return self

    def _reschedule(self, when: Duration | datetime) -> Operation[None]:
        yield from self._refresh()
        if isinstance(when, datetime):
            moved = yield from jobs.reschedule(self.record.seq, at=validate.milliseconds_since_1970(when, "when"))
        else:
            moved = yield from jobs.reschedule(self.record.seq, delay=milliseconds(when, "when"))
        if not moved:
            yield from self._refresh()
            raise IllegalTransition(f"job {self.id} is {self.state}; only a job that waits can be moved")

    def _delete(self) -> Operation[None]:
        yield from self._refresh()
        deleted = yield from jobs.delete([(self.record.seq, self.id)])
        if not deleted:
            raise IllegalTransition(f"job {self.id} is running; cancel it first")

    def _lease_end(self) -> Operation[datetime | None]:
        record = yield from find_record(self.id)
        end = (yield from lease_ends([record.seq])).get(record.seq)
        return None if end is None else clock.instant(end.expires_at)

    def _timeline(self) -> Operation[list[TimelineEntry]]:
        yield from self._refresh()
        story = yield from queries.history(self.record.seq)
        return reads.timeline(self.record, story)

    def _steps(self) -> Operation[list[StepView]]:
        yield from self._refresh()
        return (yield from step_views(self.record.seq))

    def _relatives(self, side: Callable[..., Operation[list[edges.Relative]]]) -> Operation[list[Job[Any]]]:
        yield from self._refresh()
        found = yield from reads.every(side, self.record.seq)
        return [Job(self._client, id, state=each.state or State.PENDING) for id, each in found]

    def _flow(self) -> Operation[FlowGraph]:
        yield from self._refresh()
        return (yield from reads.flow_graph(self.record))

    def _why(self) -> Operation[str]:
        yield from self._refresh()
        return (yield from reads.why(self.as_stored))

    def _wait(self, timeout: Duration | None) -> JobWait:
        return JobWait(self._client, self.id, timeout, refresh=self._reread)

    def _reread(self) -> Operation[JobRecord]:
        yield from self._refresh()
        return self.as_stored
