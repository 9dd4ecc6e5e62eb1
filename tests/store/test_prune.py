"""prunable: the finished jobs that retention lets go of, the oldest first."""

from __future__ import annotations

import pytest

from tests.store.builders import DAY, ids, new_job
from tests.store.every_state import a_job_in
from tests.store.stores import Store
from windlass.core.ending import Ending
from windlass.core.record import Claimed
from windlass.core.state import FINISHED, State
from windlass.store import jobs

ALL_KEPT = 1_000_000


def prunable(
    store: Store, *, queue: str = "default", state: State = State.COMPLETED, age: int = DAY, keep: int = ALL_KEPT
) -> list[str]:
    return ids(store.run(jobs.prunable(queue=queue, state=state, age=age, keep=keep)))


def finish(store: Store, *names: str) -> None:
    """Completes jobs one millisecond after another."""
    for name in names:
        store.finished(new=new_job(name))
        store.clock.advance(1)


def test_what_is_older_than_its_age_may_go(store: Store) -> None:
    """A13: retention per queue and state."""
    store.finished(new=new_job("old"))
    store.clock.advance(DAY)
    assert prunable(store) == []
    store.finished(new=new_job("young"))
    store.clock.advance(1)
    assert prunable(store) == ["old"]


def test_the_oldest_come_first(store: Store) -> None:
    finish(store, "a", "b", "c")
    store.clock.advance(2 * DAY)
    assert prunable(store) == ["a", "b", "c"]


@pytest.mark.parametrize("state", sorted(FINISHED))
def test_each_finished_state_has_its_own_retention(store: Store, state: State) -> None:
    """A13: completed, cancelled, failed."""
    found = [a_job_in(store, state) for state in State]
    store.clock.advance(2 * DAY)
    [queue] = [job.queue for job in found if job.state is state]
    assert len(prunable(store, queue=queue, state=state)) == 1
    for other in FINISHED - {state}:
        assert prunable(store, queue=queue, state=other) == []


def test_each_queue_has_its_own_retention(store: Store) -> None:
    store.finished(new=new_job("a"))
    store.finished(new=new_job("b", queue="other"))
    store.clock.advance(2 * DAY)
    assert (prunable(store), prunable(store, queue="other")) == (["a"], ["b"])


def test_what_is_not_finished_is_kept_however_old_it_is(store: Store) -> None:
    found = [a_job_in(store, state) for state in set(State) - FINISHED]
    store.clock.advance(1000 * DAY)
    for job in found:
        for state in State:
            assert prunable(store, queue=job.queue, state=state, age=0, keep=1) == []


def test_only_the_newest_are_kept_where_there_is_a_greatest_count(store: Store) -> None:
    """A13: optional greatest count, whatever the age."""
    finish(store, *"abcde")
    assert prunable(store, keep=2) == ["a", "b", "c"]
    assert prunable(store, keep=5) == []
    assert prunable(store, keep=6) == []


def test_none_are_kept_where_the_greatest_count_is_nothing(store: Store) -> None:
    finish(store, *"abc")
    assert prunable(store, keep=0) == ["a", "b", "c"]


def test_jobs_that_finished_in_the_same_moment_are_counted_one_by_one(store: Store) -> None:
    """A13: a batch of endings shares its instant; the count holds all the same."""
    store.enqueue(*(new_job(f"{number}") for number in range(6)))
    worker = store.a_worker()
    from_batch = worker.take()
    store.run(jobs.finish([_completed(job) for job in from_batch], worker="w"))
    assert len(prunable(store, keep=2)) == 4


def _completed(job: Claimed) -> Ending:
    return Ending(job.seq, job.fence, State.COMPLETED, charge=1)


def test_age_and_count_hold_together(store: Store) -> None:
    finish(store, "a", "b")
    store.clock.advance(2 * DAY)
    finish(store, "c", "d")
    assert prunable(store, keep=3) == ["a", "b"]
    assert prunable(store, keep=1) == ["a", "b", "c"]


def test_at_most_a_page_comes_at_once(store: Store) -> None:
    """A13, S10: in small batches that never hold the store up."""
    store.enqueue(*(new_job() for _ in range(jobs.PAGE + 1)))
    taken = store.a_worker().take(jobs.PAGE + 1)
    store.run(jobs.finish([_completed(job) for job in taken], worker="w"))
    store.clock.advance(2 * DAY)
    page = store.run(jobs.prunable(queue="default", state=State.COMPLETED, age=DAY, keep=ALL_KEPT))
    assert len(page) == jobs.PAGE
    store.run(jobs.delete([(job.seq, job.id) for job in page]))
    assert len(prunable(store)) == 1
