"""A claimed job as its worker gets it."""

from __future__ import annotations

from collections.abc import Sequence

from windlass import clock
from windlass.client.client import Client
from windlass.core.codec import NewerFormat
from windlass.core.codec.envelope import read_envelope
from windlass.core.decide import decide
from windlass.core.encryption.jobs import EncryptedJob, seal_ending
from windlass.core.ending import Ending
from windlass.core.fault import Fault
from windlass.core.meta import read_meta
from windlass.core.outcome import FailedPermanently, Interrupted
from windlass.core.records import Claimed
from windlass.errors import PayloadError
from windlass.store.operation import Operation
from windlass.store.operations.cycle import finish
from windlass.store.operations.leases import lease_ends
from windlass.web.leases.shapes import LeasedJob


def leased_jobs(client: Client, claimed: Sequence[Claimed], *, worker: str) -> Operation[list[LeasedJob]]:
    """The jobs for their worker, with the ends of their leases.

    What cannot be read fails as it does in a worker of ours; what a newer release wrote goes back. A job whose lease
    was over before this is left to the next claim.
    """
    ends = yield from lease_ends([job.seq for job in claimed])
    given: list[LeasedJob] = []
    endings: list[Ending] = []
    for job in claimed:
        end = ends.get(job.seq)
        try:
            if end is not None and end.fence == job.fence:
                given.append(_leased(job, expires_at=end.expires_at))
        except NewerFormat:
            endings.append(decide(job, Interrupted(), retry=client.retry))
        except PayloadError as error:
            ending = decide(job, _unreadable(client, job, error, worker), retry=client.retry)
            is_sealed = isinstance(job, EncryptedJob)
            endings.append(seal_ending(client.encryption, job, ending) if is_sealed else ending)
    if endings:
        yield from finish(endings, worker=worker)
    return given


def _leased(job: Claimed, *, expires_at: int) -> LeasedJob:
    call, meta = read_envelope(job.payload), read_meta(job.meta)
    return LeasedJob(
        id=job.id,
        task=job.task,
        queue=job.queue,
        priority=job.priority,
        attempt=job.attempt,
        max_attempts=job.max_attempts,
        fence=job.fence,
        args=list(call.args),
        kwargs=dict(call.kwargs),
        meta=dict(meta.meta),
        correlation_id=meta.correlation_id or job.id,
        timeout=None if job.timeout is None else job.timeout / 1000,
        created_at=clock.instant(job.created_at),
        expires_at=clock.instant(expires_at),
        cancel_requested=job.wants_cancel,
    )


def _unreadable(client: Client, job: Claimed, error: PayloadError, worker: str) -> FailedPermanently:
    limit = client.codec.limits.error
    fault = Fault.of(error, at=client.now(), attempt=job.attempt, worker=worker, limit=limit, fence=job.fence)
    return FailedPermanently(fault, "undecodable")
