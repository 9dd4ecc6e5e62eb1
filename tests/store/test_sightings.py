"""sightings: jobs that were made, run or have ended lately, as they are now."""

from __future__ import annotations

from tests.store.builders import MINUTE, new_job
from tests.store.stores import Store
from windlass.store.operations.live.sightings import Sightings, sightings
from windlass.store.operations.queries import NEWEST


def seen(store: Store, *, after: int = NEWEST, since: int = NEWEST, watched: tuple[int, ...] = ()) -> Sightings:
    return store.run(sightings(after=after, since=since, watched=watched, most=2, most_ended=2, most_running=10))


def parts(found: Sightings) -> set[tuple[str, str, str]]:
    return {(job.part, job.id, str(job.state)) for job in found.jobs}


def test_an_empty_store_has_none(store: Store) -> None:
    found = seen(store, after=0, since=0)
    assert (found.jobs, found.newest) == ([], 0)


def test_the_newest_that_were_made_are_seen(store: Store) -> None:
    """B19: the live stream."""
    store.enqueue(new_job("a"), new_job("b"), new_job("c", task="t", queue="q"))
    found = seen(store, after=0)
    assert parts(found) == {("created", "b", "pending"), ("created", "c", "pending")}
    [newest] = [job for job in found.jobs if job.id == "c"]
    assert (newest.seq, newest.task, newest.queue, newest.attempt) == (found.newest, "t", "q", 0)
    assert parts(seen(store, after=newest.seq)) == set()


def test_what_runs_has_ended_or_is_watched_is_seen_as_it_is_now(store: Store) -> None:
    worker = store.a_worker("w", ttl=10 * MINUTE)
    store.enqueue(new_job("a"), new_job("b"), new_job("c"))
    first, second = worker.take(2)
    before = seen(store, after=0)
    assert {("running", "a", "running"), ("running", "b", "running")} <= parts(before)
    worker.end(first)
    store.advance(MINUTE)
    worker.end(second)
    later = seen(store, since=before.now + 1)
    assert later.now >= before.now + MINUTE
    assert parts(later) == {("ended", "b", "completed")}
    watched = seen(store, watched=(first.seq, second.seq + 1, 10**9))
    assert parts(watched) == {("watched", "a", "completed"), ("watched", "c", "pending")}
    [ended] = [job for job in watched.jobs if job.id == "a"]
    assert (ended.worker, ended.fence, ended.finished_at) == ("w", first.fence, before.now)


def test_of_each_queue_and_state_the_newest_endings_are_seen(store: Store) -> None:
    worker = store.a_worker("w", queues=("default", "q"))
    store.enqueue(*(new_job(id) for id in "abc"), new_job("d", queue="q"))
    began = seen(store).now
    for claimed in [*worker.take(3), *worker.take(1, queue="q")]:
        store.advance(10)
        worker.end(claimed)
    ended = {id for _, id, _ in parts(seen(store, since=began))}
    assert len(ended) == 3
    assert "d" in ended
