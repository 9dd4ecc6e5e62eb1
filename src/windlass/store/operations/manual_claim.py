"""Manual claims, each job under a lease of its own, and more time for them."""

from __future__ import annotations

from collections.abc import Sequence

from windlass.core.encryption.encryption import NO_ENCRYPTION, Encryption
from windlass.core.records import Claimed
from windlass.errors import OutcomeUnknown, StoreUnavailable
from windlass.store.answers import records
from windlass.store.operation import Call, Operation
from windlass.store.operations.cycle import claim_past_vanished, number_blocked
from windlass.store.operations.events import record_stale_writes, remove_vanished
from windlass.store.operations.flows.inputs import fill_in
from windlass.store.pages import PAGE, PAGE_BYTES

_FIRST_CLAIM = 64
"""How many jobs a manual claim takes before it knows how much they hold."""


def claim_many(
    limit: int, *, queues: Sequence[str], worker: str, token: str, ttl: int, encryption: Encryption = NO_ENCRYPTION
) -> Operation[list[Claimed]]:
    """Claim jobs for a caller that runs them itself, in steps that one call can carry.

    What a job holds is not known before it is taken, so the first step is short and says how long the next may be. A
    step that fails ends the claim with what the steps before it have taken.
    """
    taken: list[Claimed] = []
    room = _FIRST_CLAIM
    while True:
        asked = min(limit - len(taken), room)
        try:
            found = yield from claim(
                asked, queues=queues, worker=worker, token=f"{token}.{len(taken)}", ttl=ttl, encryption=encryption
            )
        except StoreUnavailable:
            if not taken:
                raise
            return taken
        taken += found
        if len(found) < asked or len(taken) == limit:
            return sorted(taken, key=lambda job: -job.priority)  # each step is in order
        mean = sum(len(job.payload) + len(job.errors or "") for job in found) / len(found)
        room = max(1, min(PAGE, int(PAGE_BYTES / max(mean, 1))))


def claim(
    limit: int, *, queues: Sequence[str], worker: str, token: str, ttl: int, encryption: Encryption = NO_ENCRYPTION
) -> Operation[list[Claimed]]:
    """One step: each job gets a lease of its own; repeating with the same token takes nothing twice."""
    call = Call(
        "manual_claim",
        {
            "limit": limit,
            "queues": [(queue,) for queue in queues],
            "worker": worker,
            "token": token,
            "ttl": ttl,
            "gates": [],
        },
    )
    try:
        answer = yield call
    except OutcomeUnknown:  # only this call has the token: what was claimed under it would wait until its lease expires
        answer = yield call
    claimed = records(answer["claimed"], Claimed)
    # Jobs whose concurrency key others hold do not stand for an empty queue; each call moves some of them aside.
    while number_blocked(answer) and len(claimed) < limit:
        yield from remove_vanished(answer, by=worker)
        answer = yield call
        claimed = records(answer["claimed"], Claimed)
    if (yield from remove_vanished(answer, by=worker)) and not claimed:
        claimed = yield from claim_past_vanished(call.name, call.params)
    return (yield from fill_in(claimed[:limit], encryption))


def extend(seq: int, fence: int, *, ttl: int, worker: str) -> Operation[bool]:
    """Give a manually claimed job more time; false when the lease is lost."""
    answer = yield Call("extend", {"seq": seq, "fence": fence, "ttl": ttl})
    if answer["extended"]:
        return True
    yield from record_stale_writes([(seq, fence, "extend")], worker=worker)
    return False
