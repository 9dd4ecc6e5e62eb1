"""A large payload is the same wherever a job is read, through all that happens to it; a store may keep it apart."""

from __future__ import annotations

import pytest

from tests.store.builders import new_job, raised
from tests.store.stores import Store
from windlass.errors import IdConflict
from windlass.store.operations import jobs, queries, transfer
from windlass.store.operations.enqueue import NewJob, Uniqueness
from windlass.store.operations.manual_claim import claim
from windlass.store.operations.queries import Filter

TEXT = "n\u00e4dle\U0001f600"
LARGE = f'{{"v":1,"args":["{"x" * 20_000}{TEXT}"],"kwargs":{{}}}}'
LENGTHS = (1_023, 1_024, 1_025, 4_096, 100_000)


def a_large_job(id: str | None = None, *, key: str | None = None) -> NewJob:
    return new_job(id, payload=LARGE, key=key)


@pytest.mark.parametrize("length", LENGTHS)
def test_payloads_of_every_length_come_back_as_they_were(store: Store, length: int) -> None:
    """A4."""
    new = [new_job(payload='["' + "y" * (length - 4) + '"]') for _ in range(3)]
    store.enqueue(new[0])
    store.enqueue(*new[1:])
    assert [store.job(job.id).payload for job in new] == [job.payload for job in new]
    assert [job.payload for job in store.a_worker().take(3)] == [job.payload for job in new]


def test_a_manual_claim_and_a_look_ahead_have_it(store: Store) -> None:
    store.enqueue(a_large_job("a"))
    assert [job.payload for job in store.run(queries.peek("default", limit=1))] == [LARGE]
    [taken] = store.run(claim(1, queues=["default"], worker="me", token="t", ttl=1_000))
    assert taken.payload == LARGE


def test_it_outlives_failures_rescues_and_a_retry_by_hand(store: Store) -> None:
    """A10: it is the same for every attempt."""
    job = store.claimed(a_large_job())
    store.end(job, raised())
    assert store.job(job.id).payload == LARGE
    store.run(jobs.retry([job.seq], by="me"))
    [again] = store.a_worker().take(1)
    assert again.payload == LARGE
    store.advance(10**9)
    store.rescue()
    [rescued] = store.a_worker().take(1)
    store.end(rescued)
    assert (store.job(job.id).payload, store.job(job.id).state) == (LARGE, "completed")


def test_the_same_id_is_the_same_job_only_with_the_same_payload(store: Store) -> None:
    """A7."""
    store.enqueue(a_large_job("mine"), naming=Uniqueness(has_own_id=True))
    [again] = store.enqueue(a_large_job("mine"), naming=Uniqueness(has_own_id=True))
    assert again.id == "mine"
    with pytest.raises(IdConflict):
        store.enqueue(new_job("mine", payload=LARGE.replace("xxxx", "xxxy", 1)), naming=Uniqueness(has_own_id=True))


def test_it_is_found_by_what_stands_in_it_and_counts_by_its_size(store: Store) -> None:
    """S7: pages are bounded by what their jobs hold."""
    job = store.a_job(a_large_job())
    store.enqueue(new_job())
    found = store.run(queries.matching(Filter(text=TEXT), limit=10))
    assert [each.id for each in found.jobs] == [job.id]
    assert found.jobs[0].size >= len(LARGE.encode())
    assert [each.payload for each in store.run(queries.page(Filter(text=TEXT), limit=10)).jobs] == [LARGE]
    [stop, _] = store.run(transfer.scan(after=0, queue=None)).stops
    assert stop.size >= len(LARGE.encode())


def test_it_moves_to_another_store_and_goes_with_its_job(store: Store) -> None:
    """S8."""
    job = store.a_job(a_large_job())
    load = store.run(transfer.export([job.id]))
    assert store.run(jobs.delete([(job.seq, job.id)])) == [job.seq]
    assert not store.exists(job.id)
    assert store.run(transfer.store_batch(load)) == 1
    assert store.job(job.id).payload == LARGE
