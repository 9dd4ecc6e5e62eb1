"""A job that the caller claimed and runs by itself: ``app.claim``."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from windlass import clock
from windlass.client.job_changes import find_record
from windlass.client.session import ANY_JOB
from windlass.client.transactions import Guard
from windlass.core import validate
from windlass.core.codec import storable
from windlass.core.decide import decide, patience
from windlass.core.encryption.jobs import EncryptedJob, as_encrypted, open_claimed, seal_ending, shown_progress
from windlass.core.encryption.text import is_encrypted
from windlass.core.fault import Fault
from windlass.core.outcome import EXPIRED, FailedPermanently, Interrupted, Outcome, Postponed, Raised, Returned
from windlass.core.records import Claimed, JobRecord
from windlass.core.retry import Retry, read_retry
from windlass.core.state import FINISHED, State
from windlass.core.units import milliseconds
from windlass.errors import ConfigError, Duration, IllegalTransition, LeaseLost
from windlass.job import Job
from windlass.store.operation import Operation
from windlass.store.operations import jobs, queues
from windlass.store.operations.cycle import finish
from windlass.store.operations.events import record_stale_writes
from windlass.store.operations.leases import lease_ends
from windlass.store.operations.manual_claim import claim_many, extend
from windlass.store.operations.rescue import rescue

if TYPE_CHECKING:
    from windlass.client.client import Client


class ClaimedJob:
    """A job that was claimed by hand: run it wherever you like, then say how it ended.

    Every verb shows the fence of the claim; when another owner has taken over it raises ``LeaseLost`` and changes
    nothing, when the job has ended already it raises ``IllegalTransition``.

    >>> from windlass import Windlass
    >>> app = Windlass("sqlite:///:memory:")
    >>> job = app.enqueue("speak", "hello")
    >>> [claimed] = app.claim(10, lease="5m")
    >>> claimed.args
    ('hello',)
    >>> claimed.progress(0.5, "half way")
    >>> claimed.complete("spoken")
    >>> job.result()
    'spoken'
    >>> app.close()
    """

    def __init__(
        self, client: Client, id: str, fence: int, *, claimed: Claimed | None = None, worker: str | None = None
    ) -> None:
        self._client = client
        self._claimed = claimed
        self._worker = client.actor if worker is None else worker
        self.id = id
        self.fence = fence

    def __repr__(self) -> str:
        return f"<ClaimedJob {self.id} fence {self.fence}>"

    @property
    def job(self) -> Job[Any]:
        """The job's handle."""
        job: Job[Any] = Job(self._client, self.id, state=State.RUNNING)
        return job.refresh()

    @property
    def args(self) -> tuple[Any, ...]:
        """The positional arguments; raises ``PayloadError`` when the stored text cannot be read."""
        return self._call()[0]

    @property
    def kwargs(self) -> dict[str, Any]:
        """The keyword arguments."""
        return self._call()[1]

    @property
    def expires_at(self) -> datetime:
        """When the lease is over, unless it is extended, as the store says now; ``LeaseLost`` when it is another's."""
        return self._client.session.run(self._expires_at())

    async def aexpires_at(self) -> datetime:
        """``expires_at`` for async code."""
        return await self._client.session.arun(self._expires_at())

    def complete(self, result: object = None) -> None:
        """Complete the job; ``result`` is stored."""
        self._client.session.run(self._complete(result), notify=ANY_JOB)

    async def acomplete(self, result: object = None) -> None:
        """``complete`` for async code."""
        await self._client.session.arun(self._complete(result), notify=ANY_JOB)

    def fail(self, error: str | BaseException, *, delay: Duration | None = None) -> None:
        """A failed attempt under the retry rules: retried after a delay, or failed when its attempts are used up."""
        self._client.session.run(self._fail(error, delay), notify=ANY_JOB)

    async def afail(self, error: str | BaseException, *, delay: Duration | None = None) -> None:
        """``fail`` for async code."""
        await self._client.session.arun(self._fail(error, delay), notify=ANY_JOB)

    def discard(self, error: str | BaseException) -> None:
        """Failed for good, whatever attempts are left."""
        self._client.session.run(self._discard(error), notify=ANY_JOB)

    async def adiscard(self, error: str | BaseException) -> None:
        """``discard`` for async code."""
        await self._client.session.arun(self._discard(error), notify=ANY_JOB)

    def release(self) -> None:
        """Hand it back at once; the attempt is refunded."""
        self._client.session.run(self._end(Interrupted()), notify=ANY_JOB)

    async def arelease(self) -> None:
        """``release`` for async code."""
        await self._client.session.arun(self._end(Interrupted()), notify=ANY_JOB)

    def extend(self, length: Duration) -> None:
        """Keep it for this much longer, from now on."""
        self._client.session.run(self._extend(length))

    async def aextend(self, length: Duration) -> None:
        """``extend`` for async code."""
        await self._client.session.arun(self._extend(length))

    def progress(self, value: float | None = None, text: str | None = None) -> None:
        """Show how far it is, from 0 to 1."""
        self._client.session.run(self._progress(value, text))

    async def aprogress(self, value: float | None = None, text: str | None = None) -> None:
        """``progress`` for async code."""
        await self._client.session.arun(self._progress(value, text))

    def guard(self, connection: object) -> Guard:
        """A block in which the connection's transaction is committed only while the claim holds: as ``job.guard`` of a
        running task.
        """
        return Guard(self._client, connection, id=self.id, fence=self.fence)

    def _call(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        task, payload = (
            (self._claimed.task, self._claimed.payload) if self._claimed else (self.job.task, self.job.record.payload)
        )
        return self._client.decode_call(task, payload)

    def _complete(self, result: object) -> Operation[None]:
        record = yield from self._held("complete")
        encoded = self._client.encode_result(record.task, result)
        yield from self._write(record, Returned(encoded), "complete")

    def _fail(self, error: str | BaseException, delay: Duration | None) -> Operation[None]:
        record = yield from self._held("fail")
        outcome = Raised(self._fault(error, record), None if delay is None else milliseconds(delay, "delay"))
        yield from self._write(record, outcome, "fail")

    def _discard(self, error: str | BaseException) -> Operation[None]:
        record = yield from self._held("discard")
        yield from self._write(record, FailedPermanently(self._fault(error, record), "permanent"), "discard")

    def _end(self, outcome: Outcome) -> Operation[None]:
        record = yield from self._held("release")
        yield from self._write(record, outcome, "release")

    def _extend(self, length: Duration) -> Operation[None]:
        record = yield from self._held("extend")
        ttl = milliseconds(length, "length")
        extended = yield from extend(record.seq, self.fence, ttl=ttl, worker=self._worker)
        if not extended:
            raise self._lost()

    def _expires_at(self) -> Operation[datetime]:
        record = yield from find_record(self.id)
        end = (yield from lease_ends([record.seq])).get(record.seq)
        if end is None or end.fence != self.fence:
            raise self._lost()
        return clock.instant(end.expires_at)

    def _progress(self, value: float | None, text: str | None) -> Operation[None]:
        record = yield from self._held("progress")
        shown = shown_progress(self._client.encryption, _held_job(self._client, record), value, text)
        written = yield from jobs.progress(record.seq, self.fence, shown, worker=self._worker)
        if not written:
            raise self._lost()

    def _held(self, verb: str) -> Operation[JobRecord]:
        """The job, if this claim may still write; the write itself is checked once more by the store."""
        record = yield from find_record(self.id)
        if record.fence != self.fence:
            yield from record_stale_writes([(record.seq, self.fence, verb)], worker=self._worker)
            raise self._lost()
        if record.state in FINISHED:
            raise IllegalTransition(f"job {self.id} is {record.state} already; it cannot {verb}")
        if record.state is not State.RUNNING:
            raise self._lost()
        return record

    def _write(self, record: JobRecord, outcome: Outcome, verb: str) -> Operation[None]:
        rule = yield from self._retry_rule(record)
        ran_for = None if record.started_at is None else max(0, self._client.now() - record.started_at)
        held = _held_job(self._client, record)
        ending = decide(held, outcome, retry=rule, roll=clock.roll(), ran_for=ran_for)
        if isinstance(held, EncryptedJob):
            ending = seal_ending(self._client.encryption, held, ending)
        refused = yield from finish([ending], worker=self._worker)
        if refused:
            raise self._lost()

    def _retry_rule(self, record: JobRecord) -> Operation[Retry]:
        """Job, task, queue, app: the nearest rule wins."""
        nearest = read_retry(record.retry) or self._client.registry.retry_of(record.task)
        if nearest is not None:
            return nearest
        queue = (yield from queues.settings(record.queue)).get(record.queue)
        return (read_retry(queue.retry) if queue else None) or self._client.retry

    def _fault(self, error: str | BaseException, record: JobRecord) -> Fault:
        at = self._client.now()
        if isinstance(error, BaseException):
            limit = self._client.codec.limits.error
            return Fault.of(error, at=at, attempt=record.attempt, worker=self._worker, limit=limit, fence=self.fence)
        message = storable(str(error), 16 * 1024)
        return Fault(
            at=at, attempt=record.attempt, worker=self._worker, type="error", message=message, fence=self.fence
        )

    def _lost(self) -> LeaseLost:
        return LeaseLost(f"job {self.id}: the claim under fence {self.fence} holds no more; nothing was written")


_KEPT = [name for name in Claimed.__struct_fields__ if name in JobRecord.__struct_fields__]


def _held_job(client: Client, record: JobRecord) -> Claimed:
    """The record as what ``decide`` needs; a manual claim was charged when it was handed out."""
    held = Claimed(
        **{name: getattr(record, name) for name in _KEPT},
        wants_cancel=record.cancel_requested_at is not None,
        unknown_for=None,
        expires_in=None,
        is_charged=record.is_manual_claim,
    )
    opened = open_claimed(client.encryption, held)
    is_to_be = client.enqueuer.is_encrypted(client.registry.find(record.task))
    return as_encrypted(opened) if is_to_be and not isinstance(opened, EncryptedJob) else opened


def claim(
    client: Client,
    limit: int,
    *,
    queues: Sequence[str],
    ttl: int,
    worker: str | None = None,
    token: str | None = None,
) -> Operation[list[Claimed]]:
    """Take up to ``limit`` jobs for ``ttl`` milliseconds, of these queues or else of all that tasks name.

    A claim that is repeated under its ``token`` is given what it holds already.
    """
    claimant = client.actor if worker is None else worker
    validate.whole_number(limit, "claim: limit", least=1, most=10_000)
    named = validate.texts(queues, "claim: queues", example="['mail']")
    wanted = [validate.queue_name(queue) for queue in named] or client.known_queues
    # There may be no worker anywhere: a manual claim promotes and rescues too. Unlike the duties it does not wait after
    # a step of the store's clock: a program that is frozen between two claims would see one each time, and would never
    # rescue a job.
    if not client.has_seeded:
        yield from client.seed_queues()
    yield from client.declare_key_limits()
    yield from jobs.promote(by=client.actor)
    yield from rescue(by=client.actor, now=client.now)
    claimed = yield from claim_many(
        limit,
        queues=wanted,
        worker=claimant,
        token=token or client.ids.next(),
        ttl=ttl,
        encryption=client.encryption,
    )
    late = [job for job in claimed if job.expires_in is not None and job.expires_in <= 0]
    if late:  # in the moment since promote looked
        endings = [decide(job, EXPIRED, retry=client.retry) for job in late]
        yield from finish(endings, worker=client.actor)
    closed = [job for job in claimed if is_encrypted(job.payload) and job not in late]
    if closed:  # they are left for those who have the key
        endings = [decide(job, Postponed(patience(job.unknown_for), "no_key"), retry=client.retry) for job in closed]
        yield from finish(endings, worker=client.actor)
    return [job for job in claimed if job not in late and job not in closed] if late or closed else claimed


def release(client: Client, claimed: Sequence[Claimed]) -> Operation[object]:
    """Give jobs back, uncharged."""
    endings = [decide(job, Interrupted(), retry=client.retry) for job in claimed]
    return finish(endings, worker=client.actor)


def lease_milliseconds(value: Duration, name: str) -> int:
    """How long a claim holds; ``name`` is the option that says so."""
    ttl = milliseconds(value, name)
    if ttl == 0:
        raise ConfigError(f"{name} must be longer than 0, or the jobs would be taken away at once")
    return ttl
