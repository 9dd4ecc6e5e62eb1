"""next_due: in how many milliseconds promote and rescue have something to do."""

from __future__ import annotations

from tests.store.builders import SECOND, TTL, new_job, raised
from tests.store.stores import Store
from windlass.store.operations import jobs, queries, queues
from windlass.store.operations.leases import lease_ending
from windlass.store.operations.queries import NextDue
from windlass.store.operations.upkeep import leader


def ahead_of(store: Store) -> NextDue:
    return store.run(queries.next_due())


def test_an_empty_store_has_nothing_in_sight(store: Store) -> None:
    assert ahead_of(store) == NextDue(None, None, store.clock(), 0, None)


def test_the_next_due_time_counts(store: Store) -> None:
    store.enqueue(new_job(delay=5 * SECOND))
    store.finished(raised(delay=3 * SECOND))
    store.advance(SECOND)
    assert ahead_of(store).next_due == 2 * SECOND
    store.advance(3 * SECOND)
    assert ahead_of(store).next_due == -SECOND


def test_the_end_of_the_next_lease_that_holds_jobs_counts(store: Store) -> None:
    store.a_worker(ttl=SECOND)
    store.claimed(by=store.a_worker(ttl=TTL))
    store.claimed(by=store.a_worker(ttl=2 * TTL))
    store.advance(SECOND)
    assert ahead_of(store).next_expiry == TTL - SECOND


def test_a_lease_that_is_over_is_due_now(store: Store) -> None:
    worker = store.a_worker()
    store.claimed(by=worker)
    store.advance(TTL)
    assert (ahead_of(store).next_expiry or 0) <= 0


def test_a_missing_lease_is_due_now(store: Store) -> None:
    worker = store.a_worker()
    store.claimed(by=worker)
    worker.close()
    assert ahead_of(store).next_expiry == 0


def test_a_lease_from_the_future_is_due_now(store: Store) -> None:
    """E3: a clock that was set back holds no lease longer than its length."""
    store.claimed()
    store.advance(-TTL - 1)
    assert (ahead_of(store).next_expiry or 0) <= 0


def test_nothing_is_left_after_the_duties(store: Store) -> None:
    """D6: a manual claim promotes and rescues only when there is something to do."""
    store.enqueue(new_job(delay=1))
    store.claimed()
    store.advance(TTL)
    store.run(jobs.promote())
    store.rescue()
    assert ahead_of(store) == NextDue(None, None, store.clock(), 0, None, has_work=True)


def test_workers_in_time_are_counted_and_the_first_of_them_is_the_keeper(store: Store) -> None:
    first, second = sorted((store.a_worker(), store.a_worker(ttl=2 * TTL)), key=lambda worker: worker.lease)
    store.manually_claimed()
    ahead = ahead_of(store)
    assert (ahead.workers, ahead.keeper) == (2, first.lease)
    first.close()
    ahead = ahead_of(store)
    assert (ahead.workers, ahead.keeper) == (1, second.lease)


def test_workers_of_the_same_queues_are_counted(store: Store) -> None:
    store.a_worker(queues=["a", "b"])
    store.a_worker(queues=["b", "a"], ttl=2 * TTL)
    store.a_worker(queues=["a"])
    store.manually_claimed(new_job(queue="a"))
    assert store.run(queries.next_due(ending=lease_ending(["a", "b"]))).peers == 2
    assert store.run(queries.next_due(ending=lease_ending(["a"]))).peers == 1
    assert store.run(queries.next_due(ending=lease_ending(["b"]))).peers == 0
    store.advance(TTL)
    assert store.run(queries.next_due(ending=lease_ending(["a", "b"]))).peers == 1


def test_a_worker_whose_lease_is_over_is_no_keeper(store: Store) -> None:
    store.claimed(by=store.a_worker())
    store.advance(TTL)
    ahead = ahead_of(store)
    assert (ahead.workers, ahead.keeper) == (0, None)


def test_jobs_to_claim_are_told_of(store: Store) -> None:
    """C4: the look that one worker takes for all finds what none went for."""
    assert not ahead_of(store).has_work
    store.enqueue(new_job(delay=5 * SECOND))
    assert not ahead_of(store).has_work
    store.enqueue(new_job())
    assert ahead_of(store).has_work
    store.a_worker().take()
    assert not ahead_of(store).has_work


def test_jobs_of_paused_queues_are_not_to_be_claimed(store: Store) -> None:
    """B10."""
    store.enqueue(new_job(queue="a"))
    store.enqueue(new_job(queue="b"))
    store.run(queues.pause("a", by="me", reason=None))
    assert ahead_of(store).has_work
    store.run(queues.pause("b", by="me", reason=None))
    assert not ahead_of(store).has_work
    store.run(queues.pause("a", by="me", reason=None, is_paused=False))
    assert ahead_of(store).has_work
    store.run(queues.pause(queues.ALL, by="me", reason=None))
    assert not ahead_of(store).has_work


def test_a_suspect_is_a_job_to_claim(store: Store) -> None:
    """F3."""
    store.claimed()
    store.advance(TTL)
    store.rescue()
    assert ahead_of(store).has_work


def test_whether_the_lead_is_free_is_told(store: Store) -> None:
    """D6: so nobody but the leader has to ask for the lead while there is one."""
    assert ahead_of(store).is_lead_free
    lead = store.run(leader.take_lead(leader.LEADER, holder="me", ttl=TTL))
    assert not ahead_of(store).is_lead_free
    store.advance(TTL)
    assert ahead_of(store).is_lead_free
    lead = store.run(leader.take_lead(leader.LEADER, holder="me", ttl=TTL))
    store.run(leader.resign(lead))
    assert ahead_of(store).is_lead_free


def over_soon(store: Store) -> int | None:
    """The next end of a lease, as a look finds it that leaves strays out."""
    return store.run(queries.next_due(strays=False)).next_expiry


def test_without_strays_the_end_of_a_lease_is_in_sight_a_second_before(store: Store) -> None:
    """E1: a worker looks twice a second, so nothing is missed; most leases are renewed long before their end."""
    store.a_worker(ttl=SECOND)
    store.claimed(by=store.a_worker(ttl=TTL))
    store.advance(TTL - SECOND - 1)
    assert over_soon(store) is None
    store.advance(1)
    assert over_soon(store) == SECOND
    store.advance(2 * SECOND)
    assert over_soon(store) == -SECOND


def test_without_strays_a_lease_that_holds_nothing_is_not_in_sight(store: Store) -> None:
    worker = store.a_worker()
    worker.end(store.claimed(by=worker))
    store.advance(TTL)
    assert over_soon(store) is None
