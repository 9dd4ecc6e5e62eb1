"""tidy: what nobody needs any more besides jobs."""

from __future__ import annotations

from tests.store.builders import DAY, SECOND, START, TTL, new_job
from tests.store.stores import Store
from windlass.store import jobs, leases, reading
from windlass.store.adding import Naming


def tidy(store: Store, detail: str | None = None) -> None:
    store.run(jobs.tidy(by="leader", detail=detail))


def test_what_was_cleaned_is_recorded(store: Store) -> None:
    """A13: what was cleaned and how long it took is visible."""
    tidy(store, '{"deleted":3}')
    [notice] = store.run(reading.notices())
    assert (notice.at, notice.kind, notice.worker, notice.detail) == (START, "cleaned", "leader", '{"deleted":3}')


def test_nothing_cleaned_is_not_recorded(store: Store) -> None:
    tidy(store)
    assert store.run(reading.notices()) == []


def test_the_newest_notices_come_first(store: Store) -> None:
    for number in range(3):
        tidy(store, str(number))
    assert [notice.detail for notice in store.run(reading.notices(2))] == ["2", "1"]


def test_events_are_kept_for_thirty_days(store: Store) -> None:
    """A13: events are bounded."""
    job = store.a_job()
    store.run(jobs.cancel([job.seq], by="me"))
    store.clock.advance(30 * DAY)
    tidy(store)
    assert store.kinds(job.seq) == ["cancelled"]
    store.clock.advance(1)
    tidy(store)
    assert store.kinds(job.seq) == []


def test_a_lost_worker_is_visible_for_a_day(store: Store) -> None:
    """A13: lost workers are bounded."""
    store.a_worker("w1")
    store.clock.advance(DAY)
    tidy(store)
    assert [worker.state for worker in store.run(leases.workers())] == ["lost"]
    store.clock.advance(1)
    tidy(store)
    assert store.run(leases.workers()) == []


def test_a_worker_that_lives_stays(store: Store) -> None:
    worker = store.a_worker("w1")
    store.clock.advance(10 * DAY)
    worker.renew()
    tidy(store)
    assert [found.name for found in store.run(leases.workers())] == ["w1"]
    assert worker.control().is_open


def test_a_lease_that_still_holds_a_job_stays_until_it_is_rescued(store: Store) -> None:
    """E3: only a committed rescue takes a job away; until then the owner may come back."""
    worker = store.a_worker()
    job = store.claimed(by=worker)
    store.clock.advance(10 * DAY)
    tidy(store)
    assert worker.renew().held == {(job.seq, job.fence)}


def test_an_old_lease_that_holds_nothing_goes(store: Store) -> None:
    """A13: everything else that grows is bounded too."""
    worker = store.a_worker()
    store.clock.advance(DAY + TTL + 1)
    tidy(store)
    assert not worker.renew().is_open


def test_keys_whose_window_is_over_go_and_the_others_stay(store: Store) -> None:
    """A13: unique keys are bounded."""
    store.enqueue(new_job("a", key="over"), naming=Naming(until="window", window=SECOND))
    store.enqueue(new_job("b", key="held"), naming=Naming(until="window", window=DAY))
    store.enqueue(new_job("c", key="until"))
    store.clock.advance(SECOND)
    tidy(store)
    ids = [store.enqueue(new_job(f"new {key}", key=key))[0].id for key in ("over", "held", "until")]
    assert ids == ["new over", "b", "c"]
