"""tidy: what nobody needs any more besides jobs."""

from __future__ import annotations

from tests.places.raw_store import RawStore
from tests.store import cleaning as retaining
from tests.store.builders import DAY, SECOND, TTL, new_job
from tests.store.stores import Store
from windlass.store.operations import jobs, leases
from windlass.store.operations.enqueue import Uniqueness
from windlass.store.operations.events import record_job_events
from windlass.store.operations.upkeep.tidy import FIRST_KEY, tidy_events, tidy_keys, tidy_leftovers


def tidy(store: Store) -> None:
    store.run(retaining.tidy())


def test_events_are_kept_for_thirty_days(store: Store) -> None:
    """A13: events are bounded."""
    job = store.a_job()
    store.run(jobs.cancel([job.seq], by="me"))
    store.advance(30 * DAY)
    tidy(store)
    assert store.kinds(job.seq) == ["cancelled"]
    store.advance(1)
    tidy(store)
    assert store.kinds(job.seq) == []


def test_a_lost_worker_is_visible_for_a_day(store: Store) -> None:
    """A13: lost workers are bounded."""
    store.a_worker("w1")
    store.advance(DAY)
    tidy(store)
    assert [worker.state for worker in store.run(leases.workers())] == ["lost"]
    store.advance(1)
    tidy(store)
    assert store.run(leases.workers()) == []


def test_a_worker_that_lives_stays(store: Store) -> None:
    worker = store.a_worker("w1")
    store.advance(10 * DAY)
    worker.renew()
    tidy(store)
    assert [found.name for found in store.run(leases.workers())] == ["w1"]
    assert worker.control().is_open


def test_a_lease_that_still_holds_a_job_stays_until_it_is_rescued(store: Store) -> None:
    """E3: only a committed rescue takes a job away; until then the owner may come back."""
    worker = store.a_worker()
    job = store.claimed(by=worker)
    store.advance(10 * DAY)
    tidy(store)
    assert worker.renew().held == {(job.seq, job.fence)}


def test_an_old_lease_that_holds_nothing_goes(store: Store) -> None:
    """A13: everything else that grows is bounded too."""
    worker = store.a_worker()
    store.advance(DAY + TTL + 1)
    tidy(store)
    assert not worker.renew().is_open


def test_keys_whose_window_is_over_go_and_the_others_stay(store: Store) -> None:
    """A13: unique keys are bounded."""
    store.enqueue(new_job("a", key="over"), naming=Uniqueness(until="window", window=SECOND))
    store.enqueue(new_job("b", key="held"), naming=Uniqueness(until="window", window=DAY))
    store.enqueue(new_job("c", key="until"))
    store.advance(SECOND)
    tidy(store)
    ids = [store.enqueue(new_job(f"new {key}", key=key))[0].id for key in ("over", "held", "until")]
    assert ids == ["new over", "b", "c"]


def test_each_call_removes_a_bounded_part(store: Store) -> None:
    """A13: however much there is; the operation says that there is more."""
    found = [store.a_job() for _ in range(5)]
    for job in found:
        store.run(record_job_events([(job.seq, 0, "refused", {})], worker="w"))
        store.a_worker()
    store.advance(31 * DAY)
    for left in (3, 1, 0):
        assert store.run(tidy_events(limit=2)) is (left > 0)
        assert sum(len(store.kinds(job.seq)) for job in found) == left
    for left in (3, 1, 0):
        assert store.run(tidy_leftovers(limit=2)) is (left > 0)
        assert len(store.run(leases.workers())) == left


def test_the_walk_through_all_keys_goes_in_pages(store: Store) -> None:
    """A13: three million keys are looked at bit by bit; a key whose job somebody deleted is found."""
    store.enqueue(*(new_job(f"{number}", key=f"key {number}") for number in range(5)))
    raw_store = RawStore(store.place)
    raw_store.remove("3")
    pages, after = 0, FIRST_KEY
    while (found := store.run(tidy_keys(after, limit=2))) is not None:
        pages, after = pages + 1, found
    held = store.enqueue(*(new_job(f"new {number}", key=f"key {number}") for number in range(5)))
    assert [stored.id for stored in held] == ["0", "1", "2", "new 3", "4"]
    if store.place.url.startswith("redis"):
        return  # there keys go with their job, or are overwritten
    assert pages == 2
