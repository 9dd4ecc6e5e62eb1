"""Claims, cycles, finishes, rescues and changes jobs."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import astuple

from windlass.core.decide import decide
from windlass.core.ending import Ending
from windlass.core.fault import Fault
from windlass.core.outcome import Blame, Lost
from windlass.core.records import Claimed, Expired, StartedSuspect
from windlass.core.retry import Retry
from windlass.core.state import TRANSITIONS, State, Verb, allowed_from
from windlass.core.suspect import has_to_run_alone, is_fresh, watched_for
from windlass.errors import OutcomeUnknown, StoreUnavailable
from windlass.store.answers import records
from windlass.store.driver import DataRejected
from windlass.store.operation import Answer, Call, Lane, Operation
from windlass.store.operations.events import notice, remove_vanished
from windlass.store.operations.pages import PAGE, PAGE_BYTES, Found, PageSize, answers, portions
from windlass.store.operations.queries import Filter, matching

log = logging.getLogger("windlass.store")

_ENDS = TRANSITIONS[Verb.FINISH][State.RUNNING]

_HANDED_IN: dict[str, list[Any]] = {"completed": [], "endings": [], "keys": [], "marks": [], "by_hand": []}
"""A cycle that only claims."""

_FIRST_CLAIM = 64
"""How many jobs a claim by hand takes before it knows how much they hold."""


class StartMark(Struct, frozen=True, array_like=True, gc=False):
    """Says that user code of a job has begun under this fence, some milliseconds ago."""

    seq: int
    fence: int
    ago: int


class CycleResult(Struct, frozen=True):
    """What a cycle gave."""

    claimed: list[Claimed]
    refused: Collection[int]
    """The seqs of endings that were not written because another owner has, or has had, the job."""
    marked: Collection[int]
    has_all_refusals: bool = True
    """False: some endings were refused, and the store went away before it could tell which. Handed in again, those that
    were written stay as they are.
    """


class ClaimRequest(Struct, frozen=True):
    """Who claims: a worker's name, its lease, and a token of this one call."""

    worker: str
    lease: str
    token: str


def cycle(
    claimant: ClaimRequest,
    *,
    endings: Sequence[Ending] = (),
    marks: Sequence[StartMark] = (),
    rooms: Sequence[tuple[str, int]] = (),
    by_hand: Sequence[tuple[int, int]] = (),
    takes_suspect: bool = False,
) -> Operation[CycleResult]:
    """Hand in what ended and what began, take as many jobs of each queue as there is room for, in one commit.

    With ``takes_suspect`` at most one of them is a suspect: a worker says so while it has none in flight.

    Repeating it with the same token and without rooms is safe after an answer was lost: endings that were written
    stay written, and what the first try took is handed out again.

    It raises nothing once jobs were taken: nobody would know of them. ``by_hand`` names (seq, fence) of endings that
    may be those of claims by hand, whose leases end with their jobs; a worker has none.
    """
    # Most runs just return; what they need to say is short, and so is the statement that takes it.
    completed = [(e.seq, e.fence, e.ran_for, e.result) for e in endings if _just_returned(e)]
    others = [e for e in endings if not _just_returned(e)] if len(completed) < len(endings) else []
    _refuse_what_is_no_ending(others)
    params: dict[str, Any] = {
        "worker": claimant.worker,
        "lease": claimant.lease,
        "token": claimant.token,
        "completed": completed,
        "endings": others,
        "keys": _keys(endings),
        "marks": list(marks),
        "rooms": list(rooms),
        "by_hand": list(by_hand),
        "takes_suspect": int(takes_suspect),
    }
    answer = yield Call("cycle", params)
    claimed = records(answer["claimed"], Claimed)
    if (yield from remove_vanished(answer, by=claimant.worker)) and rooms and not claimed:
        claimed = yield from _claim_past_lost("cycle", {**params, **_HANDED_IN})
    refused: Collection[int] | None = ()
    if _changed(answer, "completed") + _changed(answer, "ended") != len(endings):
        refused = yield from _refused_endings(endings, worker=claimant.worker)
    marked = {seq for (seq,) in answer.get("marked", ())}
    return CycleResult(claimed, refused or (), marked, has_all_refusals=refused is not None)


def _refused_endings(endings: Sequence[Ending], *, worker: str) -> Operation[Collection[int] | None]:
    try:
        return (yield from note_stale_writes([(e.seq, e.fence, str(e.state)) for e in endings], worker=worker))
    except StoreUnavailable as error:  # must not pass for a failure of the cycle, which has been carried out
        log.info("could not learn which endings were refused: %s", error)
        return None


def _claim_past_lost(name: str, params: Mapping[str, Any]) -> Operation[list[Claimed]]:
    """Claim again after a claim that met nothing but lost jobs, which must not pass for an empty queue."""
    while True:
        answer = yield Call(name, params)
        claimed = records(answer["claimed"], Claimed)
        if not (yield from remove_vanished(answer, by=params["worker"])) or claimed:
            return claimed


def _just_returned(ending: Ending) -> bool:
    return ending.state is State.COMPLETED and ending.charge == 1 and ending.errors is None


def _refuse_what_is_no_ending(endings: Sequence[Ending]) -> None:
    for ending in endings:
        if ending.state not in _ENDS:
            raise DataRejected(f"job {ending.seq}: no run ends as {ending.state!s}; nothing was written")


def _changed(answer: Answer, part: str) -> int:
    return int(answer[part][0][0]) if part in answer else 0


def finish(endings: Sequence[Ending], *, worker: str) -> Operation[Collection[int]]:
    """End runs without taking new ones; the seqs that were refused."""
    by_hand = [(ending.seq, ending.fence) for ending in endings]
    try:
        cycled = yield from cycle(ClaimRequest(worker, "", ""), endings=endings, by_hand=by_hand)
    except OutcomeUnknown:  # what was ended under its fence may be ended again, and stays as it is
        cycled = yield from cycle(ClaimRequest(worker, "", ""), endings=endings, by_hand=by_hand)
    if not cycled.has_all_refusals:
        raise StoreUnavailable("the store went away before it could tell whether all endings were written")
    return cycled.refused


def note_stale_writes(writes: Sequence[tuple[int, int, str]], *, worker: str) -> Operation[Collection[int]]:
    """Leave an event for each (seq, fence, what) that was refused because of its fence; the seqs of those."""
    answer = yield Call("refused", {"writes": list(writes), "worker": worker})
    yield from remove_vanished(answer, by=worker)
    return {seq for (seq,) in answer["refused"]}


def note(notes: Sequence[tuple[int, int, str, Mapping[str, object]]], *, worker: str) -> Operation[None]:
    """Leave an event (seq, fence, kind, detail) with each job that is still there."""
    rows = [(seq, fence, kind, msgspec.json.encode(detail).decode()) for seq, fence, kind, detail in notes]
    yield Call("note", {"notes": rows, "worker": worker})


def claim_many(limit: int, *, queues: Sequence[str], worker: str, token: str, ttl: int) -> Operation[list[Claimed]]:
    """Take jobs by hand, in steps that one call can carry.

    What a job holds is not known before it is taken, so the first step is short and tells how long the next may be. A
    step that fails ends the claim with what the steps before it have taken.
    """
    taken: list[Claimed] = []
    room = _FIRST_CLAIM
    while True:
        asked = min(limit - len(taken), room)
        try:
            found = yield from claim(asked, queues=queues, worker=worker, token=f"{token}.{len(taken)}", ttl=ttl)
        except StoreUnavailable:
            if not taken:
                raise
            return taken
        taken += found
        if len(found) < asked or len(taken) == limit:
            return sorted(taken, key=lambda job: -job.priority)  # each step is in order
        mean = sum(len(job.payload) + len(job.errors or "") for job in found) / len(found)
        room = max(1, min(PAGE, int(PAGE_BYTES / max(mean, 1))))


def claim(limit: int, *, queues: Sequence[str], worker: str, token: str, ttl: int) -> Operation[list[Claimed]]:
    """Take jobs by hand, each under a lease of its own; repeating with the same token takes nothing twice."""
    call = Call(
        "claim",
        {"limit": limit, "queues": [(queue,) for queue in queues], "worker": worker, "token": token, "ttl": ttl},
    )
    try:
        answer = yield call
    except OutcomeUnknown:  # nobody else knows the token: what was taken under it would wait until its time is over
        answer = yield call
    claimed = records(answer["claimed"], Claimed)
    if (yield from remove_vanished(answer, by=worker)) and not claimed:
        claimed = yield from _claim_past_lost(call.name, call.params)
    return claimed[:limit]


def extend(seq: int, fence: int, *, ttl: int, worker: str) -> Operation[bool]:
    """Give a job that was claimed by hand more time; false when the lease is lost."""
    answer = yield Call("extend", {"seq": seq, "fence": fence, "ttl": ttl})
    if answer["extended"]:
        return True
    yield from note_stale_writes([(seq, fence, "extend")], worker=worker)
    return False


def progress(seq: int, fence: int, text: str, *, worker: str) -> Operation[bool]:
    """Show how far a run is; false when the lease is lost."""
    answer = yield Call("progress", {"seq": seq, "fence": fence, "progress": text})
    if answer["progressed"]:
        return True
    yield from note_stale_writes([(seq, fence, "progress")], worker=worker)
    return False


PROMOTED_AT_ONCE = 1000
"""Jobs; promoting reads none of their texts."""


def promote(limit: int = PROMOTED_AT_ONCE, *, by: str | None = None) -> Operation[int]:
    """Make all due jobs pending, page by page; how many."""
    total, is_full = 0, True
    while is_full:
        promoted, is_full = yield from promote_page(limit, by=by)
        total += promoted
    return total


def promote_page(limit: int = PROMOTED_AT_ONCE, *, by: str | None = None) -> Operation[tuple[int, bool]]:
    """Make the longest overdue jobs pending; how many, and whether there may be more."""
    answer = yield Call("promote", {"limit": limit})
    lost = yield from remove_vanished(answer, by=by)
    promoted = len(answer["promoted"])
    return promoted, promoted + lost >= limit


class Rescued(Struct, frozen=True):
    """A job that was taken from a lease that was over, and where it went."""

    id: str
    state: State


def rescue(*, by: str, now: Callable[[], int]) -> Operation[list[Rescued]]:
    """Free the jobs of every lease that is over, page by page. Idempotent; any number may run it at once.

    A page that is too much for the store is halved, and a job that cannot be rescued by itself is passed by. Which job
    is held responsible for the loss of a lease is decided at the first look and kept with the lease, so that later
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
        # A start mark that came in since the look makes a job be looked at again.
        "endings": [(*astuple(ending), int(job.was_started)) for ending, job in zip(endings, expired, strict=True)],
        "keys": _keys(endings),
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
    """Leave word of what each worker lost, for those who look at it later."""
    losses: dict[str, list[dict[str, str]]] = {}
    for id, state, worker in rescued:
        if worker is not None:
            losses.setdefault(worker, []).append({"id": id, "state": state})
    if losses:
        rows = [(worker, msgspec.json.encode({"by": by, "jobs": lost}).decode()) for worker, lost in losses.items()]
        yield from notice("taken", rows)


def _after_loss(job: Expired, suspicion: Suspicion | None, *, at: int) -> Ending:
    what = "visibility time ran out" if job.is_charged else f"worker {job.worker} was lost while it ran this job"
    run = job.attempt + (not job.is_charged)
    fault = Fault(
        at=at, attempt=run, worker=job.worker or "", type="windlass.LeaseLost", message=what, ran_for=job.ran_for
    )
    # Rescue puts jobs back at once, so no rule of delay is asked for.
    return decide(job, Lost(job.was_started, fault, _blame(job, suspicion)), retry=Retry())


def _blame(job: Expired, suspicion: Suspicion | None) -> Blame:
    # What an earlier page decided holds: the suspects of that page are not among those that are seen now.
    blamed = job.blamed if suspicion is None or job.blamed is not None else suspicion.blamed
    if blamed is None:
        return Blame.SHARED
    if blamed == SEVERAL and suspicion is not None and job.seq in suspicion.seqs:
        # One that has to run alone and dies as soon as it begins is hardly innocent, whoever runs on beside it.
        return Blame.SUSPECTED if has_to_run_alone(job) and job.seq in suspicion.fresh else Blame.JOINT
    if blamed != job.seq:
        return Blame.OTHER
    has_company = job.blamed is not None or suspicion is None or suspicion.has_company
    return Blame.SUSPECTED if has_company else Blame.OWN


def _keys(endings: Iterable[Ending]) -> list[tuple[str, int, int]]:
    return [(e.unique_key, e.seq, e.fence) for e in endings if e.unique_key is not None]


def cancel(seqs: Sequence[int], *, by: str, reason: str | None = None) -> Operation[dict[int, State]]:
    """Cancel what waits, ask what runs to stop; the state of each job that this changed."""
    answers = yield from _until_none_is_missed("cancel", {"seqs": list(seqs), "by": by, "reason": reason})
    return {seq: State(state) for answer in answers for seq, state in answer["cancelled"]}


class Retried(Struct, frozen=True):
    """Which jobs a retry by hand put back, and which another job's unique key kept from it."""

    seqs: list[int]
    key_taken: dict[int, str]
    """The holder's id by the seq of the job that stayed as it was."""


def retry(
    seqs: Sequence[int], *, by: str, states: Collection[State] = tuple(State), queue: str | None = None
) -> Operation[Retried]:
    """Run jobs again with a fresh budget; only those found in one of ``states``."""
    legal = _legal(Verb.RETRY, states)
    params = {"seqs": list(seqs), "by": by, "states": legal, "queue": queue}
    answers = yield from _until_none_is_missed("retry", params)
    return Retried(
        [seq for answer in answers for (seq,) in answer["retried"]],
        {seq: holder for answer in answers for seq, holder in answer["taken"]},
    )


def reschedule(seq: int, *, delay: int | None = None, at: int | None = None) -> Operation[bool]:
    """Move a waiting job to another time; false when it does not wait."""
    answer = yield Call("reschedule", {"seq": seq, "delay": delay, "at": at})
    return bool(answer["rescheduled"])


def delete(jobs: Sequence[tuple[int, str]], *, states: Collection[State] = tuple(State)) -> Operation[list[int]]:
    """Remove jobs, given by seq and id; only those found in one of ``states`` and not running."""
    legal = _legal(Verb.DELETE, states)
    params = {"seqs": [seq for seq, _ in jobs], "ids": [id for _, id in jobs], "states": legal}
    answers = yield from _until_none_is_missed("delete", params)
    return [seq for answer in answers for (seq,) in answer["deleted"]]


def _until_none_is_missed(name: str, params: dict[str, Any]) -> Operation[list[Answer]]:
    """Repeat a call for the jobs that it missed, with what each try answered.

    Where many write at once, a job may move on between the moment that a call judges by and its lock on the job.
    """
    answers: list[Answer] = []
    while True:
        answer = yield Call(name, params)
        answers.append(answer)
        missed = [seq for (seq,) in answer.get("missed", ())]
        if not missed:
            return answers
        params = {**params, "seqs": missed}


def _legal(verb: Verb, states: Collection[State]) -> list[State]:
    return sorted(allowed_from(verb).intersection(states))


def for_each_page(
    filter: Filter, act: Callable[[list[Found]], Operation[int]], *, at_most: int | None = None
) -> Operation[int]:
    """Apply a bulk operation to all jobs that a filter finds, in pages; how many it changed.

    Each page is one atomic unit, so that a bulk operation never holds the store up.
    """
    total, cursor = 0, None
    while True:
        found = yield from matching(filter, limit=PAGE, cursor=cursor)
        for portion in portions(found.jobs):
            total += yield from act(portion)
        cursor = found.next
        if cursor is None or (at_most is not None and total >= at_most):
            return total
