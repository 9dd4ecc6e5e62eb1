"""record_stale_writes: a write under an old fence leaves an event that names worker and fence."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.manual_clock import START
from tests.store.builders import SECOND, TTL, ending
from tests.store.stores import Store
from windlass.core.records import Claimed
from windlass.store.operation import Operation
from windlass.store.operations import jobs
from windlass.store.operations.cycle import finish
from windlass.store.operations.manual_claim import extend
from windlass.store.operations.queries import EventRecord

WRITES: dict[str, Callable[[Claimed], Operation[object]]] = {
    "completed": lambda job: finish([ending(job)], worker="zombie"),
    "progress": lambda job: jobs.progress(job.seq, job.fence, "{}", worker="zombie"),
    "extend": lambda job: extend(job.seq, job.fence, ttl=TTL, worker="zombie"),
}


@pytest.mark.parametrize("what", WRITES)
def test_a_refused_write_leaves_an_event(store: Store, what: str) -> None:
    """A7: a visible event naming worker and fence."""
    lost = store.claimed()
    store.advance(TTL)
    store.rescue()
    store.a_worker().take()
    store.advance(SECOND)
    store.run(WRITES[what](lost))
    event = store.events(lost.seq)[-1]
    assert event == EventRecord(START + TTL + SECOND, "refused", "zombie", lost.fence, event.detail)
    assert json.loads(event.detail or "") == {"write": what}


def test_only_the_refused_of_many_writes_leave_an_event(store: Store) -> None:
    lost = store.claimed()
    store.advance(TTL)
    store.rescue()
    [again] = store.a_worker().take()
    other = store.claimed()
    store.run(finish([ending(other), ending(lost), ending(again)], worker="w"))
    assert store.kinds(lost.seq) == ["rescued", "refused"]
    assert store.kinds(other.seq) == []


def test_a_repeated_ending_leaves_no_event(store: Store) -> None:
    job = store.claimed()
    store.end(job)
    store.end(job)
    assert store.kinds(job.seq) == []


def test_a_write_to_a_job_that_is_gone_leaves_nothing(store: Store) -> None:
    job = store.claimed()
    store.end(job)
    store.run(jobs.delete([(job.seq, job.id)]))
    assert set(store.end(job)) == {job.seq}
    assert store.kinds(job.seq) == []
