"""Frees the jobs of expired leases, and decides which job is blamed for the loss."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import astuple

from windlass.core.decide import decide
from windlass.core.ending import Ending
from windlass.core.fault import Fault
from windlass.core.outcome import Blame, Lost
from windlass.core.records import Expired, StartedSuspect
from windlass.core.retry import Retry
from windlass.core.state import State
from windlass.core.suspect import has_to_run_alone, is_fresh, watched_for
from windlass.errors import StoreUnavailable
from windlass.store.answers import records
from windlass.store.driver import DataRejected
from windlass.store.operation import Call, Lane, Operation
from windlass.store.operations.cycle import concurrency_keys, unique_keys
from windlass.store.operations.events import record_store_events, remove_vanished
from windlass.store.pages import PAGE_BYTES, PageSize, answers

log = logging.getLogger("windlass.store")


class Rescued(Struct, frozen=True):
    """A job that was taken from a lease that was over, and where it went."""

    id: str
    state: State


def rescue(*, by: str, now: Callable[[], int]) -> Operation[list[Rescued]]:
    """Free the jobs of every lease that has expired, page by page. Idempotent; any number may run it at once.

    A page that is too much for the store is halved, and a job that cannot be rescued by itself is passed by. Which job
    is held responsible for the loss of a lease is decided at the first read and kept with the lease, so that later
    pages and other rescuers come to the same decision.
    """
    rescued: list[Rescued] = []
    size, after, failure = PageSize(), 0, None
    while True:
        expired, suspicions = yield from _expired(after, size)
        try:
            rescued += yield from _rescue(expired, suspicions, by=by, now=now)
        except (StoreUnavailable, DataRejected) as error:
            if not (yield from answers()):
                raise
            if not size.failed(len(expired), error):
                continue
            log.error("the job with the number %s cannot be rescued now: %s", expired[0].seq, error)
            failure = error
        else:
            if _is_last(expired, size):
                break
            size.succeeded()
        after = expired[-1].seq
    if failure is not None and not rescued:
        raise failure
    return rescued


SEVERAL = 0
"""Kept with a lease instead of the number of a job: several suspects may be the cause of its loss."""


class Suspicion(NamedTuple):
    """Which suspects may be the cause of the loss of a lease."""

    seqs: frozenset[int]
    fresh: frozenset[int]
    """Those of them that had just begun."""
    has_company: bool
    """Whether other jobs may have begun beside the only one."""

    @property
    def blamed(self) -> int:
        return next(iter(self.seqs)) if len(self.seqs) == 1 else SEVERAL


Suspicions = dict[str, Suspicion]
"""By lease; one that held no suspect is not among them."""


def _expired(after: int, size: PageSize) -> Operation[tuple[list[Expired], Suspicions]]:
    """The next jobs of expired leases, one page, and which suspect to blame for each lease."""
    while True:
        try:
            answer = yield Call("expired", {"after": after, "limit": size.rows, "bytes": PAGE_BYTES}, Lane.READ)
        except StoreUnavailable as error:
            if not (yield from answers()) or size.failed(size.rows, error):
                raise
        else:
            return records(answer["expired"], Expired), _suspicions(records(answer["suspects"], StartedSuspect))


def _is_last(expired: Sequence[Expired], size: PageSize) -> bool:
    """Whether neither the number of jobs nor their bytes, of which a character has four at the most, end the page."""
    return len(expired) < size.rows and 4 * sum(len(job.errors or "") for job in expired) < PAGE_BYTES


def _rescue(
    expired: Sequence[Expired], suspicions: Suspicions, *, by: str, now: Callable[[], int]
) -> Operation[list[Rescued]]:
    if not expired:
        return []
    endings = [_after_loss(job, suspicions.get(job.lease or ""), at=now()) for job in expired]
    leases = sorted({job.lease for job in expired if job.lease})
    params = {
        "leases": leases,
        "culprits": [(lease, suspicions[lease].blamed) for lease in leases if lease in suspicions],
        # A job that was marked as started since it was read is read again.
        "endings": [(*astuple(ending), int(job.was_started)) for ending, job in zip(endings, expired, strict=True)],
        "keys": unique_keys(endings),
        "gates": concurrency_keys(endings),
        "by": by,
    }
    answer = yield Call("rescue", params)
    yield from remove_vanished(answer, by=by)
    yield from _note_losses(answer["rescued"], by=by)
    return [Rescued(id, State(state)) for id, state, _ in answer["rescued"]]


def _suspicions(suspects: Sequence[StartedSuspect]) -> Suspicions:
    """By the suspects that had not run for longer than they are watched."""
    watched: dict[str, list[StartedSuspect]] = {}
    for suspect in suspects:
        if suspect.ran_for <= watched_for(suspect.fatal_run):
            watched.setdefault(suspect.lease, []).append(suspect)
    return {lease: _suspicion(found) for lease, found in watched.items()}


def _suspicion(watched: Sequence[StartedSuspect]) -> Suspicion:
    fresh = frozenset(suspect.seq for suspect in watched if is_fresh(suspect.ran_for))
    return Suspicion(frozenset(suspect.seq for suspect in watched), fresh, watched[0].has_company)


def _note_losses(rescued: Sequence[Sequence[Any]], *, by: str) -> Operation[None]:
    """Record a store event for each worker: which jobs were rescued from it."""
    losses: dict[str, list[dict[str, str]]] = {}
    for id, state, worker in rescued:
        if worker is not None:
            losses.setdefault(worker, []).append({"id": id, "state": state})
    if losses:
        rows = [(worker, msgspec.json.encode({"by": by, "jobs": lost}).decode()) for worker, lost in losses.items()]
        yield from record_store_events("taken", rows)


def _after_loss(job: Expired, suspicion: Suspicion | None, *, at: int) -> Ending:
    what = "visibility time ran out" if job.is_charged else f"worker {job.worker} was lost while it ran this job"
    run = job.attempt + (not job.is_charged)
    fault = Fault(
        at=at,
        attempt=run,
        worker=job.worker or "",
        type="windlass.LeaseLost",
        message=what,
        ran_for=job.ran_for,
        fence=job.fence,
    )
    # Rescue puts jobs back at once, so no rule of delay is asked for.
    return decide(job, Lost(job.was_started, fault, _blame(job, suspicion)), retry=Retry())


def _blame(job: Expired, suspicion: Suspicion | None) -> Blame:
    # What an earlier page decided holds: the suspects of that page are not among those that are seen now.
    blamed = job.blamed if suspicion is None or job.blamed is not None else suspicion.blamed
    if blamed is None:
        return Blame.SHARED
    if blamed == SEVERAL and suspicion is not None and job.seq in suspicion.seqs:
        # A job that has to run alone and dies as soon as it begins is most likely the cause, whatever ran beside it.
        return Blame.SUSPECTED if has_to_run_alone(job) and job.seq in suspicion.fresh else Blame.JOINT
    if blamed != job.seq:
        return Blame.OTHER
    has_company = job.blamed is not None or suspicion is None or suspicion.has_company
    return Blame.SUSPECTED if has_company else Blame.OWN
