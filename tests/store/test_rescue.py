"""rescue: frees the jobs of leases that are over."""

from __future__ import annotations

import pytest

from tests.manual_clock import START
from tests.store.builders import TTL, new_job
from tests.store.stores import Store
from windlass.core.decide import RESCUES_ALLOWED
from windlass.core.fault import read_faults
from windlass.core.state import State
from windlass.core.suspect import CRASHES_ALLOWED
from windlass.store.operations import enqueue, leases, queries
from windlass.store.operations.rescue import Rescued


def lose(store: Store, new: enqueue.NewJob | None = None, *, times: int = 1, is_marked: bool = False) -> str:
    """A job that so many workers took and never came back with."""
    new = new or new_job()
    store.enqueue(new)
    for _ in range(times):
        worker = store.a_worker("lost")
        [job] = worker.take(1, queue=new.queue)
        if is_marked:
            worker.mark(job)
        store.advance(TTL)
        store.rescue()
    return new.id


def test_a_job_whose_lease_is_over_is_pending_again(store: Store) -> None:
    """A9: jobs of dead workers are found."""
    job = store.claimed()
    store.advance(TTL)
    assert store.rescue() == [Rescued(job.id, State.PENDING)]
    found = store.job(job.id)
    assert (found.state, found.lease, found.finished_at) == (State.PENDING, None, None)


@pytest.mark.parametrize(("step", "is_over"), [(TTL - 1, False), (TTL, True), (-TTL, False), (-TTL - 1, True)])
def test_a_lease_is_over_at_its_end_in_both_directions_of_time(store: Store, step: int, is_over: bool) -> None:
    """E3: a clock that was set back holds no lease longer than its length."""
    store.claimed()
    store.advance(step)
    assert bool(store.rescue()) is is_over


def test_a_lease_in_time_keeps_its_jobs(store: Store) -> None:
    keeper, loser = store.a_worker(), store.a_worker()
    kept, lost = store.claimed(by=keeper), store.claimed(by=loser)
    store.advance(TTL - 1)
    keeper.renew()
    store.advance(1)
    assert [rescued.id for rescued in store.rescue()] == [lost.id]
    assert store.job(kept.id).state is State.RUNNING


def test_a_second_rescue_finds_nothing(store: Store) -> None:
    """E3: idempotent."""
    lose(store, new_job("a"))
    before = store.job("a")
    assert store.rescue() == []
    assert store.job("a") == before


def test_many_may_rescue_at_once(store: Store) -> None:
    """E3: safe when many run it at once: each job is freed by one of them."""
    for _ in range(3):
        store.claimed()
    store.advance(TTL)
    first, second = store.rescue(), store.another().rescue()
    assert (len(first), second) == (3, [])


def test_a_rescue_raises_the_fence(store: Store) -> None:
    """A7: so that the former owner's endings can be distinguished from repetitions of its own."""
    job = store.claimed()
    store.advance(TTL)
    store.rescue()
    assert store.job(job.id).fence > job.fence


@pytest.mark.parametrize("count", [499, 500, 501, 1203])
def test_all_pages_are_rescued(store: Store, count: int) -> None:
    """A9: rescue is not limited by what it frees; it pages."""
    store.enqueue(*(new_job() for _ in range(count)))
    assert len(store.a_worker().take(count)) == count
    store.advance(TTL)
    assert len(store.rescue()) == count
    assert store.run(queries.counts()) == {"default": {State.PENDING: count}}


def test_an_empty_store_has_nothing_to_rescue(store: Store) -> None:
    assert store.rescue() == []


# Until somebody rescues.


def test_until_somebody_rescues_the_lease_may_be_renewed(store: Store) -> None:
    """E3: expired = may be rescued, no more."""
    worker = store.a_worker()
    job = store.claimed(by=worker)
    store.advance(100 * TTL)
    assert worker.renew().is_open
    assert store.rescue() == []
    assert not worker.end(job)


def test_after_the_rescue_renewal_and_ending_are_refused(store: Store) -> None:
    """E3: after it, refused."""
    worker = store.a_worker()
    job = store.claimed(by=worker)
    store.advance(TTL)
    store.rescue()
    renewed = worker.renew()
    assert (renewed.is_open, renewed.held) == (False, frozenset())
    assert set(worker.end(job)) == {job.seq}


def test_a_lease_that_holds_nothing_is_not_taken_away(store: Store) -> None:
    """E3: rescue is defined from the jobs; a worker that slept without jobs goes on."""
    idle, busy = store.a_worker(), store.a_worker()
    store.claimed(by=busy)
    store.advance(TTL)
    store.rescue()
    assert (idle.renew().is_open, busy.renew().is_open) == (True, False)


# What it costs.


def test_a_run_that_had_not_started_is_not_charged(store: Store) -> None:
    """A9: neighbours that had not started are charged nothing."""
    found = store.job(lose(store))
    assert (found.attempt, found.crashes, found.rescues, found.errors) == (0, 0, 1, None)


def test_a_run_that_had_started_is_charged_as_a_crash(store: Store) -> None:
    """A9, E6: a started run that crashed is charged, and the cause is recorded."""
    found = store.job(lose(store, is_marked=True))
    assert (found.state, found.attempt, found.crashes, found.rescues) == (State.PENDING, 1, 1, 0)
    [fault] = read_faults(found.errors).faults
    assert (fault.type, fault.worker, fault.attempt) == ("windlass.LeaseLost", "lost", 1)


def test_each_job_of_a_lost_worker_is_judged_by_itself(store: Store) -> None:
    worker = store.a_worker()
    store.enqueue(new_job("started"), new_job("waiting"))
    [started, _] = worker.take()
    worker.mark(started)
    store.advance(TTL)
    store.rescue()
    assert [store.job(id).attempt for id in ("started", "waiting")] == [1, 0]


@pytest.mark.parametrize(("times", "state"), [(CRASHES_ALLOWED - 1, State.PENDING), (CRASHES_ALLOWED, State.FAILED)])
def test_a_job_that_crashes_its_workers_fails(store: Store, times: int, state: State) -> None:
    """A9: a job that crashed its worker 3 times is failed(crashed), whatever its attempts."""
    found = store.job(lose(store, new_job(attempts=100), times=times, is_marked=True))
    assert (found.state, found.crashes, found.attempt) == (state, times, times)
    assert found.reason == ("crashed" if state is State.FAILED else None)
    assert (found.finished_at is not None) is (state is State.FAILED)


@pytest.mark.parametrize(("times", "state"), [(RESCUES_ALLOWED - 1, State.PENDING), (RESCUES_ALLOWED, State.FAILED)])
def test_a_job_that_never_starts_fails(store: Store, times: int, state: State) -> None:
    """A9: the last resort is a cap on rescues, then failed(crashed)."""
    found = store.job(lose(store, times=times))
    assert (found.state, found.rescues, found.attempt) == (state, times, 0)
    assert found.reason == ("crashed" if state is State.FAILED else None)


def test_one_attempt_means_at_most_one_run(store: Store) -> None:
    """A10: a job with one attempt that crashed does not run again."""
    found = store.job(lose(store, new_job(attempts=1), is_marked=True))
    assert (found.state, found.reason, found.attempt) == (State.FAILED, "crashed", 1)


def test_one_attempt_that_never_started_is_still_there(store: Store) -> None:
    found = store.job(lose(store, new_job(attempts=1)))
    assert (found.state, found.attempt) == (State.PENDING, 0)


def test_a_job_that_rescue_fails_gives_its_key_back(store: Store) -> None:
    """B17: finished by rescue."""
    lose(store, new_job("a", key="k", attempts=1), is_marked=True)
    assert store.enqueue(new_job("b", key="k"))[0].id == "b"


def test_a_job_that_rescue_puts_back_keeps_its_key(store: Store) -> None:
    """B17: while not finished."""
    lose(store, new_job("a", key="k"))
    assert store.enqueue(new_job("b", key="k"))[0].id == "a"


# A lost worker goes on.


def test_a_worker_that_lost_its_lease_opens_a_new_one(store: Store) -> None:
    worker = store.a_worker("w1")
    job = store.claimed(by=worker)
    store.advance(TTL)
    store.rescue()
    again = store.a_worker("w1")
    assert [taken.id for taken in again.take()] == [job.id]


def test_a_lost_lease_cannot_be_opened_again_under_its_name(store: Store) -> None:
    worker = store.a_worker()
    store.claimed(by=worker)
    store.advance(TTL)
    store.rescue()
    store.run(leases.open_lease(worker.presence(), lease=worker.lease, ttl=TTL))
    assert worker.take() == []


def test_the_rescuers_own_time_is_in_the_fault(store: Store) -> None:
    lose(store, new_job("a"), is_marked=True)
    [fault] = read_faults(store.job("a").errors).faults
    assert fault.at == START + TTL
