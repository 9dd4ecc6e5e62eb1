"""enqueue into queues with a greatest length: all jobs of a call or none; what comes back is never refused."""

from __future__ import annotations

import pytest

from tests.store.builders import INTERRUPTED, OWN_ID, TTL, new_job, raised
from tests.store.stores import Store
from windlass.core.outcome import Outcome, Postponed
from windlass.core.state import State
from windlass.errors import QueueFull
from windlass.store.operations import jobs, queries, queues
from windlass.store.operations.enqueue import Enqueued


def limit(store: Store, length: int | None, queue: str = "default") -> None:
    store.run(queues.change(queue, {"max_length": length}, by="operator"))


def counts(store: Store, queue: str = "default") -> dict[State, int]:
    return store.run(queries.counts(queue)).get(queue, {})


def test_a_full_queue_refuses(store: Store) -> None:
    """B5: QueueFull names the queue and its limit."""
    limit(store, 1)
    store.enqueue(new_job())
    with pytest.raises(QueueFull, match=r"'default'.*max_length 1"):
        store.enqueue(new_job())
    assert counts(store) == {State.PENDING: 1}


def test_a_queue_may_be_filled_to_its_limit(store: Store) -> None:
    """B5: a limit of three holds three."""
    limit(store, 3)
    store.enqueue(new_job())
    store.enqueue(new_job(), new_job())
    assert counts(store) == {State.PENDING: 3}


def test_a_limit_of_nothing_takes_nothing(store: Store) -> None:
    limit(store, 0)
    with pytest.raises(QueueFull):
        store.enqueue(new_job())


def test_a_bulk_that_does_not_fit_stores_nothing(store: Store) -> None:
    """B5: checked for bulk too; B4: all or none."""
    limit(store, 3)
    store.enqueue(new_job())
    with pytest.raises(QueueFull):
        store.enqueue(new_job(), new_job(), new_job())
    assert counts(store) == {State.PENDING: 1}


def test_one_full_queue_refuses_the_whole_call(store: Store) -> None:
    limit(store, 0, "tight")
    with pytest.raises(QueueFull, match="'tight'"):
        store.enqueue(new_job(), new_job(queue="tight"), new_job(queue="wide"))
    assert store.run(queries.counts()) == {}


def test_a_refused_call_takes_no_key(store: Store) -> None:
    limit(store, 1)
    with pytest.raises(QueueFull):
        store.enqueue(new_job("a", key="k"), new_job("b"))
    assert store.enqueue(new_job("c", key="k")) == [Enqueued("c", State.PENDING)]


def test_what_waits_for_its_time_counts(store: Store) -> None:
    """B5: the limit is over pending + scheduled + retrying."""
    limit(store, 2)
    store.enqueue(new_job(delay=1))
    store.finished(raised())
    assert counts(store) == {State.SCHEDULED: 1, State.RETRYING: 1}
    with pytest.raises(QueueFull):
        store.enqueue(new_job())


def test_what_is_blocked_counts(store: Store) -> None:
    """B5: it waits like all others."""
    limit(store, 1)
    store.enqueue(new_job("a"))
    store.place.force("a", "blocked")
    with pytest.raises(QueueFull):
        store.enqueue(new_job())


def test_what_runs_or_is_finished_does_not_count(store: Store) -> None:
    limit(store, 1)
    store.finished()
    store.claimed()
    store.enqueue(new_job())
    assert counts(store) == {State.PENDING: 1, State.RUNNING: 1, State.COMPLETED: 1}


def test_other_queues_do_not_count(store: Store) -> None:
    limit(store, 1)
    store.enqueue(new_job(queue="other"), new_job(queue="other"), new_job())
    assert counts(store) == {State.PENDING: 1}


def test_an_id_that_is_there_may_be_enqueued_into_a_full_queue(store: Store) -> None:
    """B18: a repetition adds nothing, so there is nothing to refuse."""
    limit(store, 1)
    store.enqueue(new_job("a"), naming=OWN_ID)
    assert store.enqueue(new_job("a"), naming=OWN_ID) == [Enqueued("a", State.PENDING, True)]


def test_a_key_that_is_held_may_be_enqueued_into_a_full_queue(store: Store) -> None:
    """B17: a duplicate adds nothing."""
    limit(store, 1)
    store.enqueue(new_job("a", key="k"))
    assert store.enqueue(new_job("b", key="k")) == [Enqueued("a", State.PENDING, True)]


def test_duplicates_within_one_call_need_no_room(store: Store) -> None:
    limit(store, 2)
    stored = store.enqueue(new_job("a"), new_job("a"), new_job("b", key="k"), new_job("c", key="k"), naming=OWN_ID)
    assert [one.id for one in stored] == ["a", "a", "b", "b"]
    assert counts(store) == {State.PENDING: 2}


def test_a_call_that_mixes_a_duplicate_with_a_new_job_is_refused_for_the_new_one(store: Store) -> None:
    limit(store, 1)
    store.enqueue(new_job("a"), naming=OWN_ID)
    with pytest.raises(QueueFull):
        store.enqueue(new_job("a"), new_job("b"), naming=OWN_ID)
    assert not store.exists("b")


def test_lowering_the_limit_leaves_what_is_there(store: Store) -> None:
    store.enqueue(new_job(), new_job(), new_job())
    limit(store, 1)
    assert counts(store) == {State.PENDING: 3}
    with pytest.raises(QueueFull):
        store.enqueue(new_job())


def test_taking_the_limit_back_opens_the_queue(store: Store) -> None:
    limit(store, 0)
    limit(store, None)
    store.enqueue(new_job())
    assert counts(store) == {State.PENDING: 1}


@pytest.mark.parametrize(
    ("outcome", "state"),
    [
        (raised(delay=5), State.RETRYING),
        (Postponed(5), State.SCHEDULED),
        (INTERRUPTED, State.PENDING),
    ],
)
def test_a_job_that_comes_back_is_never_refused(store: Store, outcome: Outcome, state: State) -> None:
    """B5: never for retries."""
    limit(store, 1)
    job = store.claimed()
    store.enqueue(new_job())
    assert not store.end(job, outcome)
    assert store.job(job.id).state is state


def test_a_rescued_job_is_never_refused(store: Store) -> None:
    """B5: never for rescues."""
    limit(store, 1)
    job = store.claimed()
    store.enqueue(new_job())
    store.advance(TTL)
    store.rescue()
    assert store.job(job.id).state is State.PENDING
    assert counts(store) == {State.PENDING: 2}


def test_a_retry_by_hand_and_a_promotion_are_never_refused(store: Store) -> None:
    failed = store.finished(raised(), new_job(attempts=1))
    delayed = store.a_job(new_job(delay=1))
    limit(store, 0)
    store.advance(1)
    assert store.run(jobs.retry([failed.seq], by="me")).seqs == [failed.seq]
    assert store.run(jobs.promote()) == 1
    assert store.job(delayed.id).state is State.PENDING
