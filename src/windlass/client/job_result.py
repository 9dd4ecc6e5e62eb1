"""Waits for one job to finish, and turns how it ended into its value or an exception."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from windlass import clock
from windlass.client.result_waiter import PendingResult
from windlass.core.encryption.jobs import open_ended
from windlass.core.encryption.text import is_encrypted, no_key
from windlass.core.fault import read_faults
from windlass.core.records import JobRecord
from windlass.core.state import State
from windlass.core.units import duration
from windlass.errors import (
    Duration,
    JobCancelled,
    JobFailed,
    JobNotFound,
    JobTimeout,
    StartRefused,
    StoreNotFound,
    StoreUnavailable,
)
from windlass.insight import reads
from windlass.store.operation import Operation
from windlass.store.operations import queries
from windlass.store.operations.queries import FinishedJob

if TYPE_CHECKING:
    from windlass.client.client import Client

_LOOK_ALONE = 0.25
"""Seconds between two reads of a caller that waits for a result without a thread for that."""


class JobWait:
    """One caller that waits for one job."""

    def __init__(
        self, client: Client, id: str, timeout: Duration | None, *, refresh: Callable[[], Operation[JobRecord]]
    ) -> None:
        """``refresh`` reads the job, for the error after ``timeout``."""
        self._session = client.session
        self._waiter = client.waiter
        self._id = id
        self._refresh = refresh
        self._limit = None if timeout is None else duration(timeout, "timeout").total_seconds()
        self._began = clock.monotonic()

    def wait(self) -> FinishedJob:
        """How the job has ended; ``JobTimeout`` when the time is over."""
        finished = self._session.run(self._at_the_start())
        if finished is not None:
            return finished
        pending = PendingResult()
        try:
            self._waiter.add(self._id, pending)
            finished = pending.wait(self._left)
        except StartRefused:
            return self._look_alone()
        finally:
            pending.is_given_up = True
        return finished or self._session.run(self._at_the_end())

    async def await_done(self) -> FinishedJob:
        """``wait`` for async code."""
        import asyncio

        finished = await self._session.arun(self._at_the_start())
        if finished is not None:
            return finished
        future = self._waiter.future(self._id)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), self._left)
        except TimeoutError:
            pass
        return await self._session.arun(self._at_the_end())

    @property
    def _left(self) -> float | None:
        """Seconds."""
        return None if self._limit is None else max(0.0, self._limit - (clock.monotonic() - self._began))

    def _look_alone(self) -> FinishedJob:
        """Wait on the caller's own thread, because the system refuses the thread that waits for all callers."""
        while (left := self._left) is None or left > 0:
            clock.sleep(_LOOK_ALONE if left is None else min(left, _LOOK_ALONE))
            finished = self._session.run(self._at_the_start())
            if finished is not None:
                return finished
        return self._session.run(self._at_the_end())

    def _at_the_start(self) -> Operation[FinishedJob | None]:
        """How the job has ended already. A store that is away comes back, or the time limit ends the wait."""
        try:
            found = yield from queries.awaited([self._id])
        except StoreNotFound:
            raise
        except StoreUnavailable as error:
            self._waiter.trouble = error
            return None
        self._waiter.trouble = None
        return found[0] if found else None

    def _at_the_end(self) -> Operation[FinishedJob]:
        """How the job ended after all, in the last moment; else ``JobTimeout`` that says where it stands."""
        late = f"job {self._id} has not finished" + ("" if self._limit is None else f" within {self._limit:g} s")
        if trouble := self._waiter.trouble:  # another call would only add its own deadline to the limit
            raise JobTimeout(f"{late}; where it stands is not known: {trouble}") from trouble
        try:
            for finished in (yield from queries.awaited([self._id])):
                return finished
            record = yield from self._refresh()
            reason = yield from reads.why(record)
        except StoreUnavailable as error:
            raise JobTimeout(f"{late}; where it stands is not known: {error}") from error
        stands = f"it is {record.state}"
        raise JobTimeout(f"{late}; {reason}" if reason.startswith(stands) else f"{late}; {stands}: {reason}")


_CANCELLED_BECAUSE: dict[str | None, str] = {
    "expired": " (expired): it had not started in time",
    "dependency": " (dependency): a job that it waited for did not complete; job.why() names it",
}


def check_found(finished: FinishedJob) -> None:
    """``JobNotFound`` when the job turned out not to be there."""
    if finished.state is None:
        raise JobNotFound(f"no job has the id {finished.id!r}")


def value_of(client: Client, finished: FinishedJob) -> object:
    """What the job returned; ``JobFailed``, ``JobCancelled`` or ``JobNotFound`` if it did not."""
    check_found(finished)
    finished = open_ended(client.encryption, finished)
    if finished.state is State.COMPLETED:
        return client.decode_result(str(finished.task), finished.result)
    if finished.state is State.CANCELLED:
        raise JobCancelled(f"job {finished.id} was cancelled{_CANCELLED_BECAUSE.get(finished.reason, '')}")
    raise _failure(finished)


def _no_error(finished: FinishedJob) -> str:
    if finished.errors is not None and is_encrypted(finished.errors):
        return f"its error is {no_key(finished.errors)}"
    return "no error is recorded"


def _failure(finished: FinishedJob) -> JobFailed:
    faults = read_faults(finished.errors).faults
    last = faults[-1] if faults else None
    what = f"{last.type}: {last.message}" if last else _no_error(finished)
    return JobFailed(
        f"job {finished.id} ({finished.task}) failed ({finished.reason}): {what}",
        id=finished.id,
        reason=finished.reason,
        type=last.type if last else None,
        message=last.message if last else None,
        traceback=last.traceback if last else None,
    )
