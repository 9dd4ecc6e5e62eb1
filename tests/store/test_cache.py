"""Cached results: an enqueue that finds one gives the job that made it (enqueue, cycle, clear_cache, tidy_cache)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.store.builders import DAY, HOUR, MINUTE, SECOND, TTL, ending, new_job, raised
from tests.store.cleaning import prunable
from tests.store.redis.keyspace import Keyspace
from tests.store.stores import Store
from windlass.core.outcome import Returned
from windlass.core.records import Claimed
from windlass.core.state import State
from windlass.core.unique import cached_key
from windlass.store.operations import jobs
from windlass.store.operations.cycle import finish
from windlass.store.operations.enqueue import Enqueued, NewJob, Uniqueness
from windlass.store.operations.transfer import export, store_batch
from windlass.store.operations.upkeep.prune import FinishedLine, prune, prune_oldest
from windlass.store.operations.upkeep.tidy import clear_cache, tidy_cache, tidy_windows


@pytest.fixture(autouse=True)
def _keys_agree(store: Store) -> Iterator[None]:
    """Whatever a test has done: on Redis, where each script keeps several keys in step."""
    yield
    if store.place.url.startswith("redis:"):
        Keyspace(store.place.url, store.place.namespace).check()


CACHED = Uniqueness(cached=10 * MINUTE)
COMPLETED = FinishedLine("default", State.COMPLETED)


def call(id: str | None = None, *, of: str = "1", task: str = "greet", attempts: int = 4) -> NewJob:
    """A job whose result is cached; those with the same ``of`` are equal."""
    return new_job(id, task=task, key=cached_key(task, of.encode()), attempts=attempts)


def asked(store: Store, of: str = "1", *, task: str = "greet") -> Enqueued:
    [found] = store.enqueue(call(of=of, task=task), naming=CACHED)
    return found


def completed(store: Store, id: str, *, of: str = "1", task: str = "greet", result: str = '"done"') -> None:
    """A job whose result is cached from now on."""
    [stored] = store.enqueue(call(id, of=of, task=task), naming=CACHED)
    assert not stored.is_duplicate
    [job] = store.a_worker().take()
    assert not store.end(job, Returned(result))


def is_cached(store: Store, of: str = "1", *, task: str = "greet") -> bool:
    """Whether an equal call is given a result; if not, the job that it makes is deleted again."""
    found = asked(store, of, task=task)
    if not found.is_duplicate:
        store.run(jobs.delete([(store.job(found.id).seq, found.id)]))
    return found.is_duplicate


def test_equal_calls_share_the_job_from_its_enqueue_on(store: Store) -> None:
    """B29: while it waits, while it runs, and after it has completed."""
    store.enqueue(call("a"), naming=CACHED)
    assert asked(store) == Enqueued("a", State.PENDING, True)
    [job] = store.a_worker().take()
    assert asked(store) == Enqueued("a", State.RUNNING, True)
    store.end(job)
    assert asked(store) == Enqueued("a", State.COMPLETED, True)
    assert not asked(store, "2").is_duplicate
    assert not asked(store, task="other").is_duplicate


def test_equal_calls_of_one_enqueue_are_one_job(store: Store) -> None:
    """B29: and what is cached already is found beside what is new."""
    completed(store, "old", of="0")
    found = store.enqueue(call("a"), call("b"), call("c", of="0"), call("d", of="2"), naming=CACHED)
    assert [(one.id, one.is_duplicate) for one in found] == [("a", False), ("a", True), ("old", True), ("d", False)]


def test_the_time_counts_from_the_end_of_the_run(store: Store) -> None:
    """B29: a job that waited for long is cached for as long as any other."""
    store.enqueue(call("a"), naming=CACHED)
    store.advance(HOUR)
    [job] = store.a_worker().take()
    store.end(job)
    store.advance(10 * MINUTE - 1)
    assert asked(store).id == "a"
    store.advance(1)
    assert not asked(store).is_duplicate


def test_a_later_result_takes_the_place_of_one_whose_time_is_over(store: Store) -> None:
    """B29: also before anything was tidied up."""
    completed(store, "a")
    store.advance(HOUR)
    completed(store, "b")
    assert asked(store).id == "b"
    store.run(jobs.delete([(store.job("a").seq, "a")]))
    assert asked(store).id == "b"


def test_an_ending_that_is_sent_again_does_not_prolong_it(store: Store) -> None:
    """B29: after a reply that was lost."""
    store.enqueue(call("a"), naming=CACHED)
    [job] = store.a_worker().take()
    store.end(job)
    store.advance(9 * MINUTE)
    store.run(finish([ending(job)], worker="w"))
    store.advance(2 * MINUTE)
    assert not asked(store).is_duplicate


def fails(store: Store, job: Claimed) -> None:
    assert not store.end(job, raised())


def is_cancelled(store: Store, job: Claimed) -> None:
    store.run(jobs.cancel([job.seq], by="me"))
    assert not store.end(job, raised())


def is_lost_for_good(store: Store, job: Claimed) -> None:
    store.run(jobs.cancel([job.seq], by="me"))
    store.advance(TTL)
    assert store.rescue()


@pytest.mark.parametrize("end", [fails, is_cancelled, is_lost_for_good])
def test_only_results_are_cached(store: Store, end: Callable[[Store, Claimed], None]) -> None:
    """B29: after any other ending the next call runs."""
    store.enqueue(call("a", attempts=1), naming=CACHED)
    [job] = store.a_worker().take()
    end(store, job)
    assert store.job("a").state in (State.FAILED, State.CANCELLED)
    assert not asked(store).is_duplicate


def test_a_job_that_is_cancelled_before_its_run_leaves_nothing(store: Store) -> None:
    store.enqueue(call("a"), naming=CACHED)
    store.run(jobs.cancel([store.job("a").seq], by="me"))
    assert not asked(store).is_duplicate


def test_attempts_that_are_repeated_or_rescued_are_still_shared(store: Store) -> None:
    """B29: until one of them completes the job."""
    store.enqueue(call("a"), naming=CACHED)
    [job] = store.a_worker().take()
    store.end(job, raised())
    assert asked(store) == Enqueued("a", State.RETRYING, True)
    store.advance(MINUTE)
    store.run(jobs.promote())
    store.a_worker().take()
    store.advance(TTL)
    assert store.rescue()
    [job] = store.a_worker().take()
    store.end(job)
    assert asked(store) == Enqueued("a", State.COMPLETED, True)


def test_retention_spares_what_is_cached(store: Store) -> None:
    """B29, A13: however short it is; its neighbours go, and it follows when its time is over."""
    store.finished(new=new_job("before"))
    completed(store, "cached")
    store.finished(new=new_job("after", key="own"))
    store.advance(MINUTE)
    pruned = store.run(prune_oldest(COMPLETED, age=SECOND, beyond=None))
    assert pruned is not None
    assert (pruned.count, pruned.has_more) == (2, False)
    assert asked(store) == Enqueued("cached", State.COMPLETED, True)
    assert store.job("cached").result == '"done"'
    store.advance(HOUR)
    again = store.run(prune_oldest(COMPLETED, age=SECOND, beyond=None))
    assert again is not None
    assert again.count == 1
    assert not store.exists("cached")
    assert not asked(store).is_duplicate


def test_retention_that_reads_first_spares_it_too(store: Store) -> None:
    """B29, A13: for an archive; a page full of cached results does not hide what is behind them."""
    completed(store, "a")
    completed(store, "b", of="2")
    store.finished(new=new_job("c"))
    store.advance(MINUTE)
    found = store.run(prunable(age=SECOND, keep=1000))
    assert [job.id for job in found] == ["c"]
    assert store.run(prune(COMPLETED, found)) == 1
    store.advance(HOUR)
    assert [job.id for job in store.run(prunable(age=SECOND, keep=1000))] == ["a", "b"]


def test_a_job_that_is_deleted_is_cached_no_more(store: Store) -> None:
    completed(store, "a")
    store.run(jobs.delete([(store.job("a").seq, "a")]))
    assert not asked(store).is_duplicate


def test_a_cache_that_is_cleared_gives_nothing(store: Store) -> None:
    """B29: neither results, nor those that jobs make which wait or run at that moment; other tasks keep theirs."""
    completed(store, "a")
    completed(store, "other", task="greet2")
    store.enqueue(call("running", of="2"), naming=CACHED)
    [job] = store.a_worker().take()
    store.enqueue(call("waiting", of="3"), naming=CACHED)
    assert store.run(clear_cache("greet")) == 3
    assert store.run(clear_cache("greet")) == 0
    for of in "123":
        assert not is_cached(store, of)
    assert is_cached(store, task="greet2")
    assert not store.end(job)
    assert store.job("running").state is State.COMPLETED
    assert not is_cached(store, "2")


def test_a_unique_key_that_looks_alike_is_left_alone(store: Store) -> None:
    """B29, B17: what a caller has chosen is no cached result."""
    key = cached_key("greet", b"1")
    store.enqueue(new_job("a", key=key))
    assert store.run(clear_cache("greet")) == 0
    [found] = store.enqueue(new_job(key=key))
    assert found.id == "a"


@pytest.mark.parametrize(
    ("bounds", "left"),
    [
        ({"per_task": 2}, {"3", "4", "x"}),
        ({"in_all": 2}, {"4", "x"}),
        ({"bytes": 250}, {"4", "x"}),
        ({"bytes": 99}, set()),
        ({}, {"1", "2", "3", "4", "x"}),
    ],
)
def test_too_many_results_are_let_go_the_oldest_first(store: Store, bounds: dict[str, int], left: set[str]) -> None:
    """B29: per task, in all, and by their bytes; the jobs themselves stay."""
    for of in "1234":
        completed(store, f"job-{of}", of=of, result='"' + "x" * 98 + '"')
        store.advance(SECOND)
    completed(store, "job-x", of="x", task="other", result='"' + "x" * 98 + '"')
    store.enqueue(call("waits", of="w"), naming=CACHED)
    while store.run(tidy_cache(**bounds)):
        pass
    cached = {of for of in "1234" if is_cached(store, of)} | {of for of in "x" if is_cached(store, of, task="other")}
    assert cached == left
    assert asked(store, "w").id == "waits"
    assert store.job("job-1").state is State.COMPLETED


def test_room_is_counted_anew_when_results_go(store: Store) -> None:
    """B29: by any way that they can go."""
    for number, of in enumerate("abcd"):
        completed(store, of, of=of, result='"' + "x" * 98 + '"')
        assert number == 3 or is_cached(store, of)
    store.run(jobs.delete([(store.job("a").seq, "a")]))
    store.advance(5 * MINUTE)
    store.run(clear_cache("other"))
    completed(store, "e", of="e", result='"' + "x" * 98 + '"')
    store.advance(6 * MINUTE)  # all but the last are over
    store.run(tidy_windows())
    completed(store, "f", of="b", result='"' + "x" * 98 + '"')
    store.run(tidy_cache(bytes=200))
    assert is_cached(store, "e")
    assert is_cached(store, "b")
    store.run(tidy_cache(bytes=199))
    assert not is_cached(store, "e")
    assert is_cached(store, "b")


def test_it_moves_with_its_job(store: Store) -> None:
    """B29: for the rest of its time, and so does one that is yet to be made."""
    completed(store, "a")
    store.enqueue(call("b", of="2"), naming=CACHED)
    load = store.run(export(["a", "b"]))
    for id in "ab":
        store.run(jobs.delete([(store.job(id).seq, id)]))
    store.advance(MINUTE)
    assert store.run(store_batch(load)) == 2
    assert (asked(store).id, asked(store, "2").id) == ("a", "b")
    [job] = store.a_worker().take()
    store.end(job)
    store.advance(8 * MINUTE)
    assert is_cached(store)
    store.advance(MINUTE)
    assert not is_cached(store)
    assert is_cached(store, "2")
    store.advance(DAY)
    assert not is_cached(store, "2")
