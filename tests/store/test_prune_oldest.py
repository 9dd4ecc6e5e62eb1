"""prune_oldest: retention lets go of a page of finished jobs in one call."""

from __future__ import annotations

import pytest

from tests.store.builders import DAY, HOUR, new_job, raised
from tests.store.every_state import a_job_in
from tests.store.redis.keyspace import Keyspace
from tests.store.stores import Store
from tests.store.watched_calls import WatchedCalls
from windlass.core.ending import Ending
from windlass.core.outcome import Returned
from windlass.core.state import FINISHED, State
from windlass.store.operations import cycle, jobs, queries
from windlass.store.operations.enqueue import Uniqueness
from windlass.store.operations.upkeep.prune import (
    OLDEST,
    FinishedLine,
    Position,
    Pruned,
    prune_oldest,
    retention_position,
)
from windlass.store.pages import PAGE

NEVER = 2**60
LARGE = '"' + "x" * 1_000_000 + '"'


def prune(
    store: Store,
    *,
    state: State = State.COMPLETED,
    queue: str = "default",
    age: int = NEVER,
    keep: int = 1000,
    after: Position = OLDEST,
    limit: int = PAGE,
) -> Pruned | None:
    line = FinishedLine(queue, state)
    end = store.run(retention_position(line, keep=keep))
    return store.run(prune_oldest(line, age=age, beyond=end, after=after, limit=limit))


def finish(store: Store, *names: str) -> None:
    """Completes jobs one millisecond after another."""
    for name in names:
        store.finished(new=new_job(name))
        store.advance(1)


def finish_at_once(store: Store, *names: str) -> None:
    store.enqueue(*(new_job(name) for name in names))
    taken = store.a_worker().take(len(names))
    store.run(cycle.finish([Ending(job.seq, job.fence, State.COMPLETED, charge=1) for job in taken], worker="w"))


def rest(store: Store) -> str:
    """The names of the jobs that are left, the oldest first."""
    found = store.run(queries.page(queries.Filter(), limit=1000)).jobs
    return "".join(job.id for job in reversed(found))


def test_the_newest_are_kept(store: Store) -> None:
    """A13: at most so many, whatever their age."""
    finish(store, *"abcde")
    pruned = prune(store, keep=2)
    assert pruned is not None
    assert (pruned.count, bool(pruned.has_more), rest(store)) == (3, False, "de")
    assert prune(store, keep=2) is None
    assert store.run(queries.counts())["default"][State.COMPLETED] == 2


def test_the_old_ones_go_and_no_others(store: Store) -> None:
    finish(store, *"ab")
    store.advance(DAY)
    finish(store, *"cd")
    assert prune(store, age=DAY) is not None
    assert rest(store) == "cd"
    assert prune(store, age=DAY, keep=1) is not None
    assert rest(store) == "d"


def test_jobs_of_one_moment_are_counted_one_by_one(store: Store) -> None:
    finish_at_once(store, *(f"{number:03}," for number in range(250)))
    store.advance(1)
    finish(store, "later")
    pruned = prune(store, keep=3, limit=120)
    assert pruned is not None
    assert (pruned.count, bool(pruned.has_more)) == (120, True)
    pruned = prune(store, keep=3, after=pruned.position)
    assert pruned is not None
    assert (pruned.count, bool(pruned.has_more)) == (128, False)
    assert rest(store) == "248,249,later"


def test_a_page_goes_on_behind_a_position(store: Store) -> None:
    """What could not be removed does not come first again; also among those that finished in one moment."""
    finish_at_once(store, *"abcde")
    second = store.job("b")
    assert second.finished_at is not None
    pruned = prune(store, keep=1, after=Position(second.finished_at, second.seq))
    assert pruned is not None
    assert (pruned.count, rest(store)) == (2, "abe")


def test_only_the_state_and_the_queue_that_were_named(store: Store) -> None:
    for state in State:
        a_job_in(store, state)
    before = store.run(queries.counts())
    for state in FINISHED:
        assert prune(store, queue="elsewhere", state=state, keep=0) is None
    for state in set(State) - FINISHED:
        assert prune(store, state=state, keep=0) is None
    assert store.run(queries.counts()) == before


@pytest.mark.parametrize("state", [State.FAILED, State.CANCELLED])
def test_dead_letters_leave_their_lists_too(store: Store, state: State) -> None:
    found = a_job_in(store, state)
    kept = a_job_in(store, state)
    assert prune(store, queue=found.queue, state=state, keep=1 if found.queue == kept.queue else 0) is not None
    listed = store.run(queries.page(queries.Filter(states=(state,)), limit=9)).jobs
    assert [job.id for job in listed] == [kept.id]


def test_everything_that_belongs_to_a_job_goes_with_it(store: Store) -> None:
    window = Uniqueness(until="window", window=1000 * DAY)
    long = new_job("a", key="k", payload=f'"{"p" * 2000}"', meta=f'{{"m":"{"m" * 2000}"}}')
    store.enqueue(long, new_job("b", key="l"), naming=window)
    found = [store.job(name) for name in "ab"]
    store.run(jobs.cancel([job.seq for job in found], by="me"))
    pruned = prune(store, state=State.CANCELLED, keep=1)
    assert pruned is not None
    assert (pruned.count, store.kinds(found[0].seq), store.kinds(found[1].seq)) == (1, [], ["cancelled"])
    stored = store.enqueue(new_job("c", key="k"), new_job("d", key="l"), naming=window)
    assert [new.id for new in stored] == ["c", "b"]
    if store.place.url.startswith("redis"):
        Keyspace(store.place.url, store.place.namespace).check()


def test_a_key_that_another_job_holds_by_now_stays(store: Store) -> None:
    store.enqueue(new_job("a", key="k"))
    [taken] = store.a_worker().take()
    store.end(taken)
    store.enqueue(new_job("b", key="k"))
    assert prune(store, keep=0) is not None
    [stored] = store.enqueue(new_job("c", key="k"))
    assert (stored.id, stored.is_duplicate) == ("b", True)


def test_a_job_that_is_retried_and_fails_anew_stays(store: Store) -> None:
    """A13: it has its time before it; only one that is finished now, and has been for so long, may go."""
    job = store.finished(raised(), new=new_job(attempts=1))
    store.advance(2 * DAY)
    store.run(jobs.retry([job.seq], by="operator"))
    assert prune(store, state=State.FAILED, age=DAY) is None
    [taken] = store.a_worker().take()
    assert prune(store, state=State.FAILED, age=DAY) is None
    store.end(taken, raised())
    assert prune(store, state=State.FAILED, age=DAY) is None
    assert store.job(job.id).state is State.FAILED


def test_a_page_ends_by_bytes_and_has_at_least_one(store: Store) -> None:
    """A13: on Redis to free a text takes no time."""
    for name in "abc":
        store.finished(Returned(LARGE), new=new_job(name, payload=LARGE))
        store.advance(1)
    line = FinishedLine("default", State.COMPLETED)
    store.advance(HOUR)
    tapped = WatchedCalls(store)
    pruned = tapped.run(prune_oldest(line, age=1, beyond=None, bytes=5_000_000))
    assert pruned is not None
    if store.place.url.startswith("redis"):
        assert (pruned.count, rest(store)) == (3, "")
        return
    assert (pruned.count, bool(pruned.has_more), rest(store)) == (2, True, "c")
    pruned = tapped.run(prune_oldest(line, age=1, beyond=None, bytes=10))
    assert pruned is not None
    assert (pruned.count, rest(store)) == (1, "")
    assert max(tapped.sizes("prune_oldest")) < 1000


def test_a_page_that_is_sent_twice_does_no_harm(store: Store) -> None:
    """I10: an answer that was lost is no reason to fear; what it removed is gone, what is kept stays."""
    finish(store, *"abcde")
    line = FinishedLine("default", State.COMPLETED)
    end = store.run(retention_position(line, keep=2))
    for _ in range(2):
        store.run(prune_oldest(line, age=NEVER, beyond=end, limit=2))
    assert rest(store) == "de"
