"""manual_claim: takes jobs for a caller that runs them itself, each under a lease of its own, charged at once."""

from __future__ import annotations

import pytest

from tests.manual_clock import START
from tests.store.builders import SECOND, TTL, ids, mark, new_job, raised
from tests.store.stores import Store
from windlass.core.records import Claimed
from windlass.core.state import State
from windlass.store.operations import jobs, manual_claim
from windlass.store.operations.manual_claim import extend

TOKEN = "t"


def claim(store: Store, limit: int, *queues: str, token: str = TOKEN, ttl: int = TTL) -> list[Claimed]:
    return store.run(manual_claim.claim(limit, queues=queues or ["default"], worker="me", token=token, ttl=ttl))


def test_up_to_so_many_jobs_are_handed_out_in_order(store: Store) -> None:
    """D1, B3: by priority, then by the time of being ready."""
    store.enqueue(new_job("a"), new_job("b", priority=5), new_job("c"), new_job("d"))
    assert ids(claim(store, 3)) == ["b", "a", "c"]
    assert ids(claim(store, 3, token="t2")) == ["d"]
    assert claim(store, 3, token="t3") == []


@pytest.mark.parametrize("limit", [0, -1])
def test_nothing_is_handed_out_when_nothing_is_asked_for(store: Store, limit: int) -> None:
    store.enqueue(new_job("a"))
    assert claim(store, limit) == []
    assert store.job("a").state is State.PENDING


def test_queues_are_served_in_the_order_they_are_named(store: Store) -> None:
    """D1: the second queue gets what the first leaves."""
    store.enqueue(new_job("a", queue="low"), new_job("b", queue="high"), new_job("c", queue="low"))
    assert sorted(ids(claim(store, 2, "high", "low"))) == ["a", "b"]


def test_a_manually_claimed_job_is_charged_at_the_claim(store: Store) -> None:
    """D2: charged when it is handed out."""
    store.enqueue(new_job("a"))
    store.advance(SECOND)
    [job] = claim(store, 1)
    assert (job.attempt, job.is_charged) == (1, True)
    found = store.job("a")
    assert (found.state, found.attempt, found.worker) == (State.RUNNING, 1, "me")
    assert (found.claimed_at, found.started_at) == (START + SECOND, START + SECOND)


def test_an_ending_charges_a_manually_claimed_job_nothing_more(store: Store) -> None:
    """D2: one run, one charge."""
    job = store.manually_claimed()
    store.end(job)
    assert store.job(job.id).attempt == 1


def test_a_manually_claimed_job_has_as_many_runs_as_it_has_attempts(store: Store) -> None:
    """D2: at most ``attempts`` times, then a dead letter."""
    job = store.manually_claimed(new_job("a", attempts=2))
    store.end(job, raised(delay=0))
    assert store.job("a").state is State.RETRYING
    store.run(jobs.promote())
    [job] = claim(store, 1)
    store.end(job, raised(delay=0))
    found = store.job("a")
    assert (found.state, found.reason, found.attempt) == (State.FAILED, "attempts", 2)


def test_a_repeated_call_takes_nothing_twice(store: Store) -> None:
    """D1: with a token a lost reply is re-read by its owner."""
    store.enqueue(*(new_job() for _ in range(5)))
    first = claim(store, 3)
    store.advance(SECOND)
    assert claim(store, 3) == first
    assert len(claim(store, 9, token="t2")) == 2


def test_a_repeated_call_fills_up_what_the_first_could_not_give(store: Store) -> None:
    store.enqueue(new_job("a"))
    assert ids(claim(store, 2)) == ["a"]
    store.enqueue(new_job("b"), new_job("c"))
    assert ids(claim(store, 2)) == ["a", "b"]


def test_a_repeated_call_does_not_prolong_the_leases(store: Store) -> None:
    store.enqueue(new_job("a"))
    claim(store, 1, ttl=10)
    store.advance(9)
    claim(store, 1, ttl=10)
    store.advance(1)
    assert [rescued.id for rescued in store.rescue()] == ["a"]


def test_a_token_that_begins_like_another_finds_nothing_of_it(store: Store) -> None:
    store.enqueue(new_job("a"), new_job("b"))
    assert ids(claim(store, 1, token="t1")) == ["a"]
    assert ids(claim(store, 1, token="t")) == ["b"]
    assert ids(claim(store, 1, token="t1")) == ["a"]


def test_each_job_has_a_lease_of_its_own(store: Store) -> None:
    """D1: one may be lost while the other is held."""
    store.enqueue(new_job("a"), new_job("b"))
    [first, second] = claim(store, 2)
    assert store.job("a").lease != store.job("b").lease
    store.advance(TTL - 1)
    store.run(extend(second.seq, second.fence, ttl=TTL, worker="me"))
    store.advance(1)
    assert [rescued.id for rescued in store.rescue()] == ["a"]
    assert (set(store.end(first)), set(store.end(second))) == ({first.seq}, set())


def test_workers_and_pullers_share_a_queue_without_meeting(store: Store) -> None:
    """E1: no job goes to both."""
    store.enqueue(*(new_job(f"{number}") for number in range(6)))
    worker = store.a_worker()
    taken = [*claim(store, 2), *worker.take(2), *claim(store, 2, token="t2")]
    assert ids(taken) == [f"{number}" for number in range(6)]


def test_a_manual_claim_needs_no_worker(store: Store) -> None:
    """D6: with no worker anywhere."""
    store.enqueue(new_job("a"))
    assert ids(claim(store, 1)) == ["a"]


def test_a_mark_of_a_manually_claimed_job_is_answered_and_changes_nothing(store: Store) -> None:
    job = store.manually_claimed()
    before = store.job(job.id)
    store.advance(SECOND)
    assert set(store.a_worker().cycle(marks=[mark(job)]).marked) == {job.seq}
    assert store.job(job.id) == before
