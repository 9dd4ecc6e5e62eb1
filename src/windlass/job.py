"""The handle of one job: its state, its result, and what can be done to it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

import msgspec

from windlass import clock
from windlass.client.result_waiter import PendingResult, refuse_on_loop_thread
from windlass.core import validate
from windlass.core.fault import Fault, read_faults
from windlass.core.meta import read_meta
from windlass.core.records import JobRecord
from windlass.core.state import FINISHED, State
from windlass.core.units import duration, milliseconds
from windlass.errors import (
    Duration,
    IllegalTransition,
    JobCancelled,
    JobFailed,
    JobNotFound,
    JobTimeout,
    StartRefused,
    StoreNotFound,
    StoreUnavailable,
)
from windlass.insight.timeline import TimelineEntry, timeline
from windlass.insight.why import explain, needs_upkeep
from windlass.insight.workers import worker_views
from windlass.store.driver import Topic
from windlass.store.operation import Operation
from windlass.store.operations import gates, jobs, queries
from windlass.store.operations.queries import FinishedJob

if TYPE_CHECKING:
    from windlass.app import Windlass
    from windlass.client.binding import Binding

R = TypeVar("R")

_LOOK_ALONE = 0.25
"""Seconds between two looks of a caller that waits for a result without a thread for that."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run says it is: from 0 to 1, with a word about it."""

    value: float | None = None
    text: str | None = None


class Job(Generic[R]):
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
        self, app: Windlass, id: str, *, state: State, duplicate: bool = False, binding: Binding | None = None
    ) -> None:
        """``binding`` is that of the store the job is in, the app's at this moment unless it is given."""
        self._app = app
        self._binding = binding or app._binding
        self._record: JobRecord | None = None
        self._state = state
        self.id = id
        self.duplicate = duplicate
        """Whether the job was there already: the same explicit id, or a unique key that is held."""

    @classmethod
    def of(cls, app: Windlass, record: JobRecord, *, binding: Binding | None = None) -> Job[R]:
        """The handle for a record that was just read."""
        job: Job[R] = cls(app, record.id, state=record.state, binding=binding)
        job._record = record
        return job

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
        """Everything the store knows, as it keeps it; read from the store if it was not yet."""
        if self._record is None:
            refuse_on_loop_thread("the first look at a job's fields", "job.arefresh()")
            self.refresh()
        return cast(JobRecord, self._record)

    @property
    def task(self) -> str:
        return self.record.task

    @property
    def args(self) -> tuple[Any, ...]:
        """The arguments of the call that were given by position; ``PayloadError`` when they cannot be read."""
        return self._app._decode_call(self.record.task, self.record.payload)[0]

    @property
    def kwargs(self) -> dict[str, Any]:
        """The arguments of the call that were given by name."""
        return self._app._decode_call(self.record.task, self.record.payload)[1]

    @property
    def queue(self) -> str:
        return self.record.queue

    @property
    def priority(self) -> int:
        return self.record.priority

    @property
    def reason(self) -> str | None:
        """Why it failed (attempts, permanent, timeout, crashed, undecodable, unknown_task, result) or waits."""
        return self.record.reason

    @property
    def attempt(self) -> int:
        """How many runs were charged so far."""
        return self.record.attempt

    @property
    def max_attempts(self) -> int:
        return self.record.max_attempts

    @property
    def fence(self) -> int:
        return self.record.fence

    @property
    def worker(self) -> str | None:
        """Who runs it, or ran it last."""
        return self.record.worker

    @property
    def errors(self) -> tuple[Fault, ...]:
        """What its attempts raised: the first and the newest."""
        return read_faults(self.record.errors).faults

    @property
    def errors_left_out(self) -> int:
        """How many errors between the first and the newest are not kept."""
        return read_faults(self.record.errors).left_out

    @property
    def log(self) -> str:
        """What its newest attempt has logged that raised, or that returned if its task has ``keep_log=True``."""
        history = read_faults(self.record.errors)
        return history.log or (history.faults[-1].log if history.faults else "")

    @property
    def progress(self) -> Progress:
        return _progress(self.record.progress)

    @property
    def meta(self) -> dict[str, Any]:
        return dict(read_meta(self.record.meta).meta)

    @property
    def tags(self) -> tuple[str, ...]:
        return read_meta(self.record.meta).tags

    @property
    def correlation_id(self) -> str:
        """The id that joins the jobs of one request; its own id unless it was given or inherited."""
        return read_meta(self.record.meta).correlation_id or self.id

    @property
    def created_at(self) -> datetime:
        return clock.instant(self.record.created_at)

    @property
    def run_at(self) -> datetime:
        """When it is, or was, due."""
        return clock.instant(self.record.run_at)

    @property
    def started_at(self) -> datetime | None:
        return clock.instant_or_none(self.record.started_at)

    @property
    def finished_at(self) -> datetime | None:
        return clock.instant_or_none(self.record.finished_at)

    def refresh(self) -> Job[R]:
        """Read the job anew; ``JobNotFound`` when it is gone."""
        return self._binding.session.run(self._refresh())

    async def arefresh(self) -> Job[R]:
        """``refresh`` for async code."""
        return await self._binding.session.arun(self._refresh())

    def result(self, timeout: Duration | None = None) -> R:
        """Wait for the job to finish and return what it returned.

        Raises ``JobFailed``, ``JobCancelled``, ``JobNotFound``, or ``JobTimeout`` after ``timeout``; waiting goes on
        through retries.
        """
        refuse_on_loop_thread("job.result()", "job.aresult()")
        return self._value(self._wait(timeout))

    async def aresult(self, timeout: Duration | None = None) -> R:
        """``result`` for async code."""
        return self._value(await self._await(timeout))

    def wait(self, timeout: Duration | None = None) -> Job[R]:
        """Wait for the job to finish, however it ends; ``JobTimeout`` after ``timeout``."""
        refuse_on_loop_thread("job.wait()", "job.await_done()")
        self._found(self._wait(timeout))
        return self.refresh()

    async def await_done(self, timeout: Duration | None = None) -> Job[R]:
        """``wait`` for async code."""
        self._found(await self._await(timeout))
        return await self.arefresh()

    def cancel(self, *, by: str = "api", reason: str | None = None) -> bool:
        """Cancel a job that waits, or ask a running one to stop; False when it has finished, and nothing changes."""
        cancelled = self._binding.session.run(self._app._cancel(self.id, by, reason))
        self._binding.session.notify_changed(*Topic)
        return cancelled

    async def acancel(self, *, by: str = "api", reason: str | None = None) -> bool:
        """``cancel`` for async code."""
        cancelled = await self._binding.session.arun(self._app._cancel(self.id, by, reason))
        self._binding.session.notify_changed(*Topic)
        return cancelled

    def retry(self, *, queue: str | None = None, by: str = "api") -> Job[R]:
        """Run it again with a fresh budget of attempts; also runs a waiting job now."""
        self._binding.session.run(self._app._retry(self.id, queue, by))
        self._binding.session.notify_changed()
        return self.refresh()

    async def aretry(self, *, queue: str | None = None, by: str = "api") -> Job[R]:
        """``retry`` for async code."""
        await self._binding.session.arun(self._app._retry(self.id, queue, by))
        self._binding.session.notify_changed()
        return await self.arefresh()

    def reschedule(self, when: Duration | datetime) -> Job[R]:
        """Move a waiting job: a length of time from now, or an instant."""
        self._binding.session.run(self._reschedule(when))
        self._binding.session.notify_changed()
        return self.refresh()

    async def areschedule(self, when: Duration | datetime) -> Job[R]:
        """``reschedule`` for async code."""
        await self._binding.session.arun(self._reschedule(when))
        self._binding.session.notify_changed()
        return await self.arefresh()

    def delete(self) -> None:
        """Remove the job; ``IllegalTransition`` while it runs."""
        self._binding.session.run(self._delete())

    async def adelete(self) -> None:
        """``delete`` for async code."""
        await self._binding.session.arun(self._delete())

    def timeline(self) -> list[TimelineEntry]:
        """Everything that happened to the job, in order."""
        return self._binding.session.run(self._timeline())

    async def atimeline(self) -> list[TimelineEntry]:
        """``timeline`` for async code."""
        return await self._binding.session.arun(self._timeline())

    def why(self) -> str:
        """Why the job is not running, in a sentence."""
        return self._binding.session.run(self._why())

    async def awhy(self) -> str:
        """``why`` for async code."""
        return await self._binding.session.arun(self._why())

    def _refresh(self) -> Operation[Job[R]]:
        found = yield from queries.find([self.id])
        if self.id not in found:
            raise JobNotFound(f"no job has the id {self.id!r}")
        self._record = found[self.id]
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

    def _timeline(self) -> Operation[list[TimelineEntry]]:
        yield from self._refresh()
        story = yield from queries.history(self.record.seq)
        return timeline(self.record, story)

    def _why(self) -> Operation[str]:
        yield from self._refresh()
        found = yield from gates.gates(self.record.seq)
        if found is None:
            raise JobNotFound(f"no job has the id {self.id!r}")
        workers = (yield from worker_views()) if needs_upkeep(found) and not found.is_tended else []
        if found.state not in (State.RUNNING, State.CANCELLED, State.FAILED):
            return explain(found, self.record, workers=workers)
        story = yield from queries.history(self.record.seq)
        return explain(found, self.record, story.events, workers)

    def _wait(self, timeout: Duration | None) -> FinishedJob:
        limit, began = _limit(timeout), clock.monotonic()
        settled = self._binding.session.run(self._at_the_start_of_a_wait())
        if settled is not None:
            return settled
        settlement = PendingResult()
        try:
            self._binding.waiter.add(self.id, settlement)
            settled = settlement.wait(_left(limit, began))
        except StartRefused:
            return self._look_alone(limit, began)
        finally:
            settlement.is_given_up = True
        return settled or self._binding.session.run(self._at_the_end_of_a_wait(limit))

    def _look_alone(self, limit: float | None, began: float) -> FinishedJob:
        """Wait on this thread where the system refuses the one that waits for all."""
        while (left := _left(limit, began)) is None or left > 0:
            clock.sleep(_LOOK_ALONE if left is None else min(left, _LOOK_ALONE))
            settled = self._binding.session.run(self._at_the_start_of_a_wait())
            if settled is not None:
                return settled
        return self._binding.session.run(self._at_the_end_of_a_wait(limit))

    async def _await(self, timeout: Duration | None) -> FinishedJob:
        import asyncio

        limit, began = _limit(timeout), clock.monotonic()
        settled = await self._binding.session.arun(self._at_the_start_of_a_wait())
        if settled is not None:
            return settled
        future = self._binding.waiter.future(self.id)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), _left(limit, began))
        except TimeoutError:
            pass
        return await self._binding.session.arun(self._at_the_end_of_a_wait(limit))

    def _at_the_start_of_a_wait(self) -> Operation[FinishedJob | None]:
        """How the job has ended already. A store that is away comes back, or the time limit ends the wait."""
        waiter = self._binding.waiter
        try:
            found = yield from queries.awaited([self.id])
        except StoreNotFound:
            raise
        except StoreUnavailable as error:
            waiter.trouble = error
            return None
        waiter.trouble = None
        return found[0] if found else None

    def _at_the_end_of_a_wait(self, limit: float | None) -> Operation[FinishedJob]:
        """How the job ended after all, in the last moment; else ``JobTimeout`` that tells where it stands."""
        late = f"job {self.id} has not finished" + ("" if limit is None else f" within {limit:g} s")
        if trouble := self._binding.waiter.trouble:  # another call would only add its own deadline to the limit
            raise JobTimeout(f"{late}; where it stands is not known: {trouble}") from trouble
        try:
            for settled in (yield from queries.awaited([self.id])):
                return settled
            why = yield from self._why()
        except StoreUnavailable as error:
            raise JobTimeout(f"{late}; where it stands is not known: {error}") from error
        stands = f"it is {self.state}"
        raise JobTimeout(f"{late}; {why}" if why.startswith(stands) else f"{late}; {stands}: {why}")

    def _found(self, settled: FinishedJob) -> None:
        if settled.state is None:
            raise JobNotFound(f"no job has the id {self.id!r}")

    def _value(self, settled: FinishedJob) -> R:
        self._found(settled)
        if settled.state is State.COMPLETED:
            return cast(R, self._app._decode_result(str(settled.task), settled.result))
        if settled.state is State.CANCELLED:
            raise JobCancelled(f"job {self.id} was cancelled")
        raise _failure(self.id, settled)


def _limit(timeout: Duration | None) -> float | None:
    return None if timeout is None else duration(timeout, "timeout").total_seconds()


def _left(limit: float | None, began: float) -> float | None:
    return None if limit is None else max(0.0, limit - (clock.monotonic() - began))


def _failure(id: str, settled: FinishedJob) -> JobFailed:
    faults = read_faults(settled.errors).faults
    last = faults[-1] if faults else None
    what = f"{last.type}: {last.message}" if last else "no error is recorded"
    return JobFailed(
        f"job {id} ({settled.task}) failed ({settled.reason}): {what}",
        id=id,
        reason=settled.reason,
        type=last.type if last else None,
        message=last.message if last else None,
        traceback=last.traceback if last else None,
    )


def _progress(text: str | None) -> Progress:
    if text is None:
        return Progress()
    try:
        return msgspec.json.decode(text, type=Progress)
    except (msgspec.MsgspecError, ValueError):
        return Progress()
