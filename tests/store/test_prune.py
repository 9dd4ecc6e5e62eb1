"""prunable: the finished jobs that retention lets go of, the oldest first."""

from __future__ import annotations

import pytest

from tests.store import cleaning as retaining
from tests.store.builders import DAY, ids, new_job, raised
from tests.store.every_state import a_job_in
from tests.store.stores import Store
from tests.store.watched_calls import WatchedCalls
from windlass.core.ending import Ending
from windlass.core.outcome import Returned
from windlass.core.records import Claimed
from windlass.core.state import FINISHED, State
from windlass.store.operations import cycle, jobs
from windlass.store.operations.enqueue import Uniqueness
from windlass.store.operations.upkeep.prune import FinishedLine, prune, retention_position
from windlass.store.operations.upkeep.prune import prunable as look
from windlass.store.pages import PAGE

ALL_KEPT = 1_000_000


def prunable(
    store: Store, *, queue: str = "default", state: State = State.COMPLETED, age: int = DAY, keep: int = ALL_KEPT
) -> list[str]:
    return ids(store.run(retaining.prunable(queue=queue, state=state, age=age, keep=keep)))


def finish(store: Store, *names: str) -> None:
    """Completes jobs one millisecond after another."""
    for name in names:
        store.finished(new=new_job(name))
        store.advance(1)


def test_what_is_older_than_its_age_may_go(store: Store) -> None:
    """A13: retention per queue and state."""
    store.finished(new=new_job("old"))
    store.advance(DAY)
    assert prunable(store) == []
    store.finished(new=new_job("young"))
    store.advance(1)
    assert prunable(store) == ["old"]


def test_the_oldest_come_first(store: Store) -> None:
    finish(store, "a", "b", "c")
    store.advance(2 * DAY)
    assert prunable(store) == ["a", "b", "c"]


@pytest.mark.parametrize("state", sorted(FINISHED))
def test_each_finished_state_has_its_own_retention(store: Store, state: State) -> None:
    """A13: completed, cancelled, failed."""
    found = [a_job_in(store, state) for state in State]
    store.advance(2 * DAY)
    [queue] = [job.queue for job in found if job.state is state]
    assert len(prunable(store, queue=queue, state=state)) == 1
    for other in FINISHED - {state}:
        assert prunable(store, queue=queue, state=other) == []


def test_each_queue_has_its_own_retention(store: Store) -> None:
    store.finished(new=new_job("a"))
    store.finished(new=new_job("b", queue="other"))
    store.advance(2 * DAY)
    assert (prunable(store), prunable(store, queue="other")) == (["a"], ["b"])


def test_what_is_not_finished_is_kept_however_old_it_is(store: Store) -> None:
    found = [a_job_in(store, state) for state in set(State) - FINISHED]
    store.advance(1000 * DAY)
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
    store.run(cycle.finish([_completed(job) for job in from_batch], worker="w"))
    assert len(prunable(store, keep=2)) == 4


def _completed(job: Claimed) -> Ending:
    return Ending(job.seq, job.fence, State.COMPLETED, charge=1)


def test_age_and_count_hold_together(store: Store) -> None:
    finish(store, "a", "b")
    store.advance(2 * DAY)
    finish(store, "c", "d")
    assert prunable(store, keep=3) == ["a", "b"]
    assert prunable(store, keep=1) == ["a", "b", "c"]


def test_at_most_a_page_comes_at_once(store: Store) -> None:
    """A13, S10: in small batches that never hold the store up."""
    store.enqueue(*(new_job() for _ in range(PAGE + 1)))
    taken = store.a_worker().take(PAGE + 1)
    store.run(cycle.finish([_completed(job) for job in taken], worker="w"))
    store.advance(2 * DAY)
    page = store.run(retaining.prunable(age=DAY, keep=ALL_KEPT))
    assert len(page) == PAGE
    assert store.run(prune(FinishedLine("default", State.COMPLETED), page)) == PAGE
    assert len(prunable(store)) == 1


# The end of a job.


def test_a_job_that_finished_anew_between_look_and_delete_stays(store: Store) -> None:
    """A13: retention lets go of what it has seen, by number and fence."""
    old = store.finished(new=new_job("old"))
    again = store.finished(raised(), new=new_job("again", attempts=1))
    store.advance(2 * DAY)
    pages = {state: store.run(retaining.prunable(state=state, age=DAY, keep=ALL_KEPT)) for state in FINISHED}
    store.run(jobs.retry([again.seq], by="operator"))
    [taken] = store.a_worker().take()
    store.end(taken, raised())
    assert store.run(prune(FinishedLine("default", State.FAILED), pages[State.FAILED])) == 0
    assert store.run(prune(FinishedLine("default", State.COMPLETED), pages[State.COMPLETED])) == 1
    assert store.job("again").state is State.FAILED
    assert not store.exists(old.id)


def test_a_job_that_waits_again_stays(store: Store) -> None:
    job = store.finished(raised(), new=new_job(attempts=1))
    store.advance(2 * DAY)
    page = store.run(retaining.prunable(state=State.FAILED, age=DAY, keep=ALL_KEPT))
    store.run(jobs.retry([job.seq], by="operator"))
    assert store.run(prune(FinishedLine("default", State.FAILED), page)) == 0
    assert store.job(job.id).state is State.PENDING


def test_events_and_keys_go_with_the_job(store: Store) -> None:
    """A13: everything that belongs to it."""
    window = Uniqueness(until="window", window=1000 * DAY)
    store.enqueue(new_job("a", key="k"), new_job("b", key="l"), naming=window)
    found = [store.job(id) for id in ("a", "b")]
    store.run(jobs.cancel([job.seq for job in found], by="me"))
    store.advance(2 * DAY)
    page = store.run(retaining.prunable(state=State.CANCELLED, age=DAY, keep=ALL_KEPT))
    assert store.run(prune(FinishedLine("default", State.CANCELLED), page[:1])) == 1
    assert (store.kinds(found[0].seq), store.kinds(found[1].seq)) == ([], ["cancelled"])
    stored = store.enqueue(new_job("c", key="k"), new_job("d", key="l"), naming=window)
    assert [new.id for new in stored] == ["c", "b"]


def test_a_look_tells_how_much_each_job_holds(store: Store) -> None:
    """Pages end by bytes; none of them travels for it."""
    store.finished(Returned('"' + "r" * 5000 + '"'), new=new_job("large", payload="p" * 3000, meta="m" * 2000))
    store.finished(new=new_job("small"))
    store.advance(2 * DAY)
    sizes = {job.id: job.size for job in store.run(retaining.prunable(age=DAY, keep=ALL_KEPT))}
    assert sizes["large"] == pytest.approx(10_000, abs=10)
    assert sizes["small"] < 100


def test_a_look_goes_on_behind_a_position(store: Store) -> None:
    """What could not be removed does not come first again; also among those that finished in one moment."""
    store.enqueue(*(new_job(f"{number}") for number in range(5)))
    store.run(cycle.finish([_completed(job) for job in store.a_worker().take()], worker="w"))
    store.advance(1)
    finish(store, "later")
    store.advance(2 * DAY)
    line = FinishedLine("default", State.COMPLETED)
    first = store.run(look(line, age=DAY, beyond=None, limit=2))
    second = store.run(look(line, age=DAY, beyond=None, limit=2, after=first[-1].position))
    third = store.run(look(line, age=DAY, beyond=None, limit=9, after=second[-1].position))
    assert ids([*first, *second, *third]) == ["0", "1", "2", "3", "4", "later"]
    assert store.run(look(line, age=DAY, beyond=None, after=third[-1].position)) == []


def test_the_newest_are_counted_in_short_steps(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """S10: no look walks over all that is kept, however many that are."""
    finish(store, *"abcdefg")
    monkeypatch.setattr("windlass.store.operations.upkeep.prune._STEP", 2)
    for keep in range(9):
        tapped = WatchedCalls(store)
        end = tapped.run(retention_position(FinishedLine("default", State.COMPLETED), keep=keep))
        assert (end and end.seq) == (store.job("abcdefg"[6 - keep]).seq if keep < 7 else None)
        assert all(call.params["skip"] <= 2 for call in tapped.calls)
