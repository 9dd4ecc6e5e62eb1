"""gates: what stands between a job and its claim; the same conditions that the claim checks."""

from __future__ import annotations

import pytest

from tests.manual_clock import START
from tests.store.builders import HOUR, SECOND, TTL, new_job, raised
from tests.store.every_state import a_job_in
from tests.store.stores import Store
from windlass.core.outcome import Postponed
from windlass.core.state import State
from windlass.store.operations import gates as operation
from windlass.store.operations import leases, queues
from windlass.store.operations.gates import ClaimSituation, Gate, ShutGate
from windlass.store.operations.upkeep import leader


def gates(store: Store, seq: int) -> ClaimSituation:
    found = store.run(operation.gates(seq))
    assert found is not None
    return found


def test_nothing_stands_before_a_job_that_a_worker_may_take(store: Store) -> None:
    job = store.a_job()
    store.a_worker(queues=["default"])
    assert gates(store, job.seq) == ClaimSituation(State.PENDING, 0, 1, 1, 0, None, None, 0)


def test_a_job_that_is_gone_has_no_gates(store: Store) -> None:
    assert store.run(operation.gates(4711)) is None


def test_a_queue_that_nobody_serves(store: Store) -> None:
    """C2: a queue that has jobs but no worker."""
    job = store.a_job()
    store.a_worker(queues=["other"])
    assert gates(store, job.seq).serving == 0


@pytest.mark.parametrize("state", ["paused", "draining"])
def test_workers_that_claim_nothing_are_not_willing(store: Store, state: str) -> None:
    job = store.a_job()
    worker, _ = store.a_worker(), store.a_worker()
    worker.renew(state)
    assert (gates(store, job.seq).serving, gates(store, job.seq).willing) == (2, 1)


def test_a_worker_that_was_told_to_pause_is_not_willing(store: Store) -> None:
    job = store.a_job()
    worker = store.a_worker()
    store.run(leases.signal(worker.id, signal="pause", by="me"))
    assert (gates(store, job.seq).serving, gates(store, job.seq).willing) == (1, 0)


def test_only_workers_in_time_serve(store: Store) -> None:
    job = store.a_job()
    sleeper, closed = store.a_worker(), store.a_worker()
    closed.close()
    store.a_worker(queues=["a", "default"], ttl=HOUR)
    assert gates(store, job.seq).serving == 2
    store.advance(TTL)
    assert gates(store, job.seq).serving == 1
    sleeper.renew()
    assert gates(store, job.seq).serving == 2


def test_jobs_that_come_first_are_counted(store: Store) -> None:
    store.enqueue(
        new_job("before"), new_job("me"), new_job("after"), new_job("high", priority=1), new_job("low", priority=-1)
    )
    store.enqueue(new_job(queue="other"), new_job(delay=1))
    assert gates(store, store.job("me").seq).ahead == 2


def test_jobs_that_come_first_are_counted_up_to_a_thousand(store: Store) -> None:
    store.enqueue(*(new_job() for _ in range(1001)))
    job = store.a_job()
    assert gates(store, job.seq).ahead == 1000


def test_a_paused_queue_says_why(store: Store) -> None:
    """B10: who and why is shown."""
    job = store.a_job()
    store.a_worker()
    store.run(queues.pause("default", by="me", reason="maintenance"))
    assert gates(store, job.seq).shut == (ShutGate(Gate.QUEUE_PAUSED, START, "me", "maintenance"),)


def test_a_pause_of_all_queues_says_why(store: Store) -> None:
    job = store.a_job()
    store.a_worker()
    store.run(queues.pause(queues.ALL, by="me", reason="deploy"))
    assert gates(store, job.seq).shut == (ShutGate(Gate.EVERYTHING_PAUSED, START, "me", "deploy"),)


def test_a_pause_of_another_queue_does_not_matter(store: Store) -> None:
    job = store.a_job()
    store.a_worker()
    store.run(queues.pause("other", by="me", reason="x"))
    assert gates(store, job.seq).shut == ()


def test_a_job_that_is_not_due_says_in_how_long(store: Store) -> None:
    job = store.a_job(new_job(delay=10 * SECOND))
    store.advance(SECOND)
    found = gates(store, job.seq)
    assert (found.state, found.due_in) == (State.SCHEDULED, 9 * SECOND)


def test_a_job_that_was_put_off_says_for_what_reason(store: Store) -> None:
    """B31: reason in why."""
    job = store.finished(Postponed(SECOND, "unknown_task"))
    found = gates(store, job.seq)
    assert (found.state, found.reason) == (State.SCHEDULED, "unknown_task")


def test_a_running_job_names_its_worker(store: Store) -> None:
    job = store.claimed(by=store.a_worker("w1"))
    found = gates(store, job.seq)
    assert (found.state, found.worker) == (State.RUNNING, "w1")


@pytest.mark.parametrize("state", sorted(State))
def test_every_state_has_an_answer(store: Store, state: State) -> None:
    job = a_job_in(store, state)
    assert gates(store, job.seq).state is state


def test_a_retrying_job_says_in_how_long(store: Store) -> None:
    job = store.finished(raised(delay=SECOND))
    assert gates(store, job.seq).due_in == SECOND


def test_a_running_job_tells_how_long_its_owner_has_been_silent(store: Store) -> None:
    worker = store.a_worker()
    job = store.claimed(by=worker)
    store.advance(SECOND)
    assert (gates(store, job.seq).silent, gates(store, job.seq).is_over) == (SECOND, False)
    worker.renew()
    assert gates(store, job.seq).silent == 0
    store.advance(TTL)
    assert (gates(store, job.seq).silent, gates(store, job.seq).is_over) == (TTL, True)
    store.rescue()
    assert (gates(store, job.seq).silent, gates(store, job.seq).is_over) == (None, False)


def test_a_running_job_whose_lease_is_gone_is_over(store: Store) -> None:
    worker = store.a_worker()
    job = store.claimed(by=worker)
    worker.close()
    assert (gates(store, job.seq).silent, gates(store, job.seq).is_over) == (None, True)


def test_a_manual_claim_is_over_when_its_time_is(store: Store) -> None:
    job = store.manually_claimed(ttl=SECOND)
    assert not gates(store, job.seq).is_over
    store.advance(2 * SECOND)
    assert (gates(store, job.seq).silent, gates(store, job.seq).is_over) == (2 * SECOND, True)


def test_a_store_is_tended_while_a_process_leads_and_until_another_could(store: Store) -> None:
    job = store.a_job()
    assert not gates(store, job.seq).is_tended
    store.run(leader.take_lead("leader", holder="me", ttl=10 * SECOND))
    assert gates(store, job.seq).is_tended
    store.advance(19 * SECOND)
    assert gates(store, job.seq).is_tended
    store.advance(SECOND)
    assert not gates(store, job.seq).is_tended
    lead = store.run(leader.take_lead("leader", holder="me", ttl=10 * SECOND))
    store.run(leader.resign(lead))
    assert not gates(store, job.seq).is_tended
