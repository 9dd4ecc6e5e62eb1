"""The cycle: one call that writes endings and start marks and claims jobs."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from windlass.core.encryption.encryption import NO_ENCRYPTION, Encryption
from windlass.core.ending import Ending
from windlass.core.records import Claimed
from windlass.core.state import TRANSITIONS, State, Verb
from windlass.core.unique import is_cached_key
from windlass.errors import OutcomeUnknown, StoreUnavailable
from windlass.store.answers import records
from windlass.store.driver import DataRejected
from windlass.store.operation import Answer, Call, Operation
from windlass.store.operations.events import record_stale_writes, remove_vanished
from windlass.store.operations.flows.inputs import fill_in

log = logging.getLogger("windlass.store")

_ENDS = TRANSITIONS[Verb.FINISH][State.RUNNING]

_HANDED_IN: dict[str, list[Any]] = {
    "completed": [],
    "endings": [],
    "keys": [],
    "gates": [],
    "marks": [],
    "manual": [],
}
"""A cycle that only claims."""


class StartMark(Struct, frozen=True, array_like=True, gc=False):
    """Says that user code of a job has begun under this fence, some milliseconds ago."""

    seq: int
    fence: int
    ago: int


class LimitState(Struct, frozen=True, array_like=True):
    """The limit on running jobs of a queue, or of the app (``*``), and how many run."""

    name: str
    max_running: int
    running: int


class RateState(Struct, frozen=True, array_like=True):
    """The tokens that the rate of a queue leaves, and in how many milliseconds there is one."""

    name: str
    tokens: int
    due_in: int


class CycleResult(Struct, frozen=True):
    """What a cycle gave."""

    claimed: list[Claimed]
    refused: Collection[int]
    """The seqs of endings that were not written because another owner has, or has had, the job."""
    marked: Collection[int]
    limits: Sequence[LimitState] = ()
    """Those of the queues that were asked for jobs, or whose runs ended, and that of the app, after the cycle."""
    blocked: int = 0
    """How many jobs it met that wait for a concurrency key or a token of their own: there may be others behind them."""
    rates: Sequence[RateState] = ()
    """Those of the queues that were asked for jobs, after the cycle."""
    has_all_refusals: bool = True
    """False: some endings were refused, and the store went away before it could say which. Handed in again, those that
    were written stay as they are.
    """
    has_put_off: bool = False
    """Whether jobs were blocked that wait for a token, which promote has to know of."""


class Claimant(Struct, frozen=True):
    """Who claims: a worker's name, its lease, and a token of this one call."""

    worker: str
    lease: str
    token: str


def cycle(
    claimant: Claimant,
    *,
    endings: Sequence[Ending] = (),
    marks: Sequence[StartMark] = (),
    requests: Sequence[tuple[str, int]] = (),
    manual: Sequence[tuple[int, int]] = (),
    takes_suspect: bool = False,
    ended_in: Collection[str] | None = None,
    encryption: Encryption = NO_ENCRYPTION,
) -> Operation[CycleResult]:
    """Hand in what ended and what began, take as many jobs of each queue as requested, in one commit.

    Queues are served in the order of ``requests``: under a limit of the app the first get what there is. ``ended_in``
    names the queues of ``endings``, if they are known: a store need not look for them. ``encryption`` opens what is
    claimed; the texts of endings are encrypted already.

    With ``takes_suspect`` at most one of them is a suspect: a worker says so while it has none in flight.

    Repeating it with the same token and without requests is safe after an answer was lost: endings that were written
    stay written, and what the first try took is handed out again.

    It raises nothing once jobs were claimed: they would be known to no worker. ``manual`` names (seq, fence) of endings
    that may be those of manual claims, whose leases end with their jobs; a worker has none.
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
        "keys": unique_keys(endings),
        "gates": concurrency_keys(endings),
        "marks": list(marks),
        "requests": list(requests),
        "manual": list(manual),
        "takes_suspect": int(takes_suspect),
        "ended_in": [] if not endings else None if ended_in is None else list(ended_in),
    }
    answer = yield Call("cycle", params)
    claimed = records(answer["claimed"], Claimed)
    if (yield from remove_vanished(answer, by=claimant.worker)) and requests and not claimed:
        claimed = yield from claim_past_vanished("cycle", {**params, **_HANDED_IN})
    claimed = yield from fill_in(claimed, encryption)
    refused: Collection[int] | None = ()
    if _changed(answer, "completed") + _changed(answer, "ended") != len(endings):
        refused = yield from _refused_endings(endings, worker=claimant.worker)
    marked = {seq for (seq,) in answer.get("marked", ())}
    limits = records(answer.get("limits") or (), LimitState)
    rates = records(answer.get("rates") or (), RateState)
    return CycleResult(
        claimed,
        refused or (),
        marked,
        limits,
        number_blocked(answer),
        rates,
        has_all_refusals=refused is not None,
        has_put_off=any(reason == "rate" for reason in _reasons_of_blocked(answer)),
    )


def number_blocked(answer: Answer) -> int:
    """How many jobs a claim has blocked."""
    return len(_reasons_of_blocked(answer))


def _reasons_of_blocked(answer: Answer) -> list[str]:
    """The reason of each job that a claim has blocked; the rows are those of all that it took or blocked."""
    return [reason for _queue, state, reason, *_ in answer.get("blocked", ()) if state == State.BLOCKED]


def _refused_endings(endings: Sequence[Ending], *, worker: str) -> Operation[Collection[int] | None]:
    try:
        return (yield from record_stale_writes([(e.seq, e.fence, str(e.state)) for e in endings], worker=worker))
    except StoreUnavailable as error:  # must not pass for a failure of the cycle, which has been carried out
        log.info("could not learn which endings were refused: %s", error)
        return None


def claim_past_vanished(name: str, params: Mapping[str, Any]) -> Operation[list[Claimed]]:
    """Claim again after a claim that met nothing but vanished jobs, which must not pass for an empty queue."""
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
    manual = [(ending.seq, ending.fence) for ending in endings]
    try:
        cycled = yield from cycle(Claimant(worker, "", ""), endings=endings, manual=manual)
    except OutcomeUnknown:  # what was ended under its fence may be ended again, and stays as it is
        cycled = yield from cycle(Claimant(worker, "", ""), endings=endings, manual=manual)
    if not cycled.has_all_refusals:
        raise StoreUnavailable("the store went away before it could say whether all endings were written")
    return cycled.refused


def unique_keys(endings: Iterable[Ending]) -> list[tuple[str, int, int, int]]:
    """The keys of ended runs; the last number is 1 where the result may have to be cached."""
    return [
        (e.unique_key, e.seq, e.fence, int(is_cached_key(e.unique_key))) for e in endings if e.unique_key is not None
    ]


def concurrency_keys(endings: Iterable[Ending]) -> list[tuple[str]]:
    """The keys that runs give back, in the order in which they are locked."""
    return sorted({(e.concurrency_key,) for e in endings if e.concurrency_key is not None})
