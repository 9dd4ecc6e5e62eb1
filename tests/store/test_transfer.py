"""scan, keys_and_events, import, import_queues: jobs leave a store, and another takes them as they are."""

from __future__ import annotations

import msgspec
import pytest

from tests.store.builders import HOUR, MINUTE, OWN_ID, SECOND, TTL, ids, new_job, raised
from tests.store.every_state import a_job_in
from tests.store.stores import Store
from windlass.core.records import JobRecord
from windlass.core.state import State
from windlass.store.operations import enqueue, jobs, queries, queues
from windlass.store.operations.enqueue import Uniqueness
from windlass.store.operations.transfer import Batch, HeldKey, export, scan, store_batch, store_queues, unblocked

MOVABLE = [state for state in State if state is not State.RUNNING]


def walked(store: Store, queue: str | None = None) -> list[str]:
    """The ids of all jobs, in the order of the walk."""
    found: list[str] = []
    after: int | None = 0
    while after is not None:
        part = store.run(scan(after=after, queue=queue))
        found += [stop.id for stop in part.stops]
        after = part.next
    return found


def taken_out(store: Store, *jobs_: JobRecord) -> Batch:
    """What belongs to these jobs, which are gone afterwards, like their keys and events."""
    load = store.run(export([job.id for job in jobs_]))
    assert len(load.jobs) == len(jobs_)
    store.run(jobs.delete([(job.seq, job.id) for job in jobs_]))
    assert not any(store.exists(job.id) for job in jobs_)
    return load


def same_but_for_seq(one: JobRecord, other: JobRecord) -> bool:
    return msgspec.structs.replace(one, seq=0) == msgspec.structs.replace(other, seq=0)


def test_a_walk_meets_every_job_once_in_the_order_of_their_age(store: Store) -> None:
    made = [new_job(queue="mail" if number % 3 else "default") for number in range(1_203)]
    store.enqueue(*made)
    assert walked(store) == [job.id for job in made]
    assert walked(store, "mail") == [job.id for job in made if job.queue == "mail"]


def test_a_walk_through_an_empty_store_is_over_at_once(store: Store) -> None:
    assert walked(store) == []


def test_a_stop_tells_about_how_large_a_job_is(store: Store) -> None:
    store.enqueue(new_job(payload='"' + "x" * 10_000 + '"'), new_job())
    large, small = store.run(scan(after=0, queue=None)).stops
    assert large.size >= 10_000 > small.size


@pytest.mark.parametrize("state", MOVABLE)
def test_a_job_comes_back_as_it_was(store: Store, state: State) -> None:
    job = a_job_in(store, state)
    events = store.events(job.seq)
    load = taken_out(store, job)
    assert store.run(store_batch(load)) == 1
    arrived = store.job(job.id)
    assert same_but_for_seq(arrived, unblocked(job)), "what it waits for is found where it arrives"
    assert arrived.seq > job.seq
    assert store.events(arrived.seq) == events
    assert sum(store.run(queries.counts(job.queue)).get(job.queue, {}).values()) == 1


def test_every_column_travels(store: Store) -> None:
    new = new_job(
        priority=7, payload='{"a":"ä\\u0000"}', meta='{"m":1}', attempts=9, timeout=5, key="k", retry='{"r":1}'
    )
    store.run(enqueue.enqueue([new], {0: Uniqueness(window=MINUTE)}))
    worker = store.a_worker()
    [claimed] = worker.take()
    worker.mark(claimed)
    store.run(jobs.progress(claimed.seq, claimed.fence, '{"done":0.5}', worker=worker.name))
    worker.end(claimed, raised(delay=MINUTE))
    before = store.job(new.id)
    store.run(store_batch(taken_out(store, before)))
    assert same_but_for_seq(store.job(new.id), before)


def test_what_came_in_can_be_claimed_in_its_old_order(store: Store) -> None:
    store.enqueue(new_job("a"), new_job("b", priority=5), new_job("c"))
    load = taken_out(store, store.job("a"), store.job("b"), store.job("c"))
    store.run(store_batch(load))
    assert ids(store.a_worker().take()) == ["b", "a", "c"]


def test_a_fence_goes_on_from_where_it_was(store: Store) -> None:
    """A7: it only grows, also in another store."""
    job = store.claimed()
    store.end(job, raised(delay=0))
    store.run(jobs.promote())
    before = store.job(job.id)
    store.run(store_batch(taken_out(store, before)))
    [again] = store.a_worker().take()
    assert again.fence > before.fence >= job.fence


def test_scheduled_jobs_come_due_in_the_new_store(store: Store) -> None:
    store.enqueue(new_job("a", delay=MINUTE))
    store.run(store_batch(taken_out(store, store.job("a"))))
    assert store.run(jobs.promote()) == 0
    store.advance(MINUTE)
    assert store.run(jobs.promote()) == 1
    assert ids(store.a_worker().take()) == ["a"]


@pytest.mark.parametrize("delay", [0, MINUTE])
def test_a_job_that_has_to_start_in_time_has_to_do_so_in_the_new_store(store: Store, delay: int) -> None:
    """A11: by the same instant."""
    store.enqueue(new_job("a", delay=delay, expires=HOUR))
    store.run(store_batch(taken_out(store, store.job("a"))))
    store.advance(delay + HOUR - 1)
    store.run(jobs.promote())
    assert store.job("a").state is State.PENDING
    store.advance(1)
    store.run(jobs.promote())
    assert store.job("a").reason == "expired"


def test_a_unique_key_is_still_held(store: Store) -> None:
    """B17: holds through a move."""
    first = store.a_job(new_job(key="k"))
    load = taken_out(store, first)
    assert load.keys == [HeldKey("k", first.id, "finished", None)]
    store.run(store_batch(load))
    [second] = store.enqueue(new_job(key="k"))
    assert second.is_duplicate
    assert second.id == first.id


def test_a_unique_key_whose_window_is_over_here_holds_nothing_up(store: Store) -> None:
    store.run(enqueue.enqueue([new_job("moved", key="k")], {0: Uniqueness(until="window", window=HOUR)}))
    load = taken_out(store, store.job("moved"))
    store.run(enqueue.enqueue([new_job("other", key="k")], {0: Uniqueness(until="window", window=SECOND)}))
    store.advance(SECOND)
    store.run(store_batch(load))
    assert store.run(export(["moved"])).keys == load.keys
    [again] = store.enqueue(new_job(key="k"))
    assert again.id == "moved"


def test_a_unique_key_of_a_job_that_has_started_here_holds_nothing_up(store: Store) -> None:
    load = taken_out(store, store.a_job(new_job("moved", key="k")))
    store.run(enqueue.enqueue([new_job("other", key="k")], {0: Uniqueness(until="started")}))
    store.a_worker().take()
    store.run(store_batch(load))
    assert store.run(export(["moved"])).keys == load.keys


@pytest.mark.parametrize(
    "naming", [Uniqueness(), Uniqueness(until="started"), Uniqueness(until="window", window=MINUTE)]
)
def test_a_unique_key_that_another_job_holds_here_stays_with_it(store: Store, naming: Uniqueness) -> None:
    load = taken_out(store, store.a_job(new_job("moved", key="k")))
    store.run(enqueue.enqueue([new_job("other", key="k")], {0: naming}))
    store.run(store_batch(load))
    assert store.run(export(["moved"])).keys == []
    [again] = store.enqueue(new_job(key="k"))
    assert again.id == "other"


def test_an_id_is_still_known(store: Store) -> None:
    """B18: idempotent through a move."""
    store.enqueue(new_job("mine"), naming=OWN_ID)
    store.run(store_batch(taken_out(store, store.job("mine"))))
    [again] = store.enqueue(new_job("mine"), naming=OWN_ID)
    assert again.is_duplicate


def test_events_keep_their_order(store: Store) -> None:
    job = store.claimed()
    store.advance(2 * TTL)
    store.rescue()
    store.end(job)
    record = store.job(job.id)
    events = store.events(record.seq)
    assert [event.kind for event in events] == ["rescued", "refused"]
    store.run(store_batch(taken_out(store, record)))
    assert store.events(store.job(job.id).seq) == events


def test_what_is_there_already_stays(store: Store) -> None:
    """A move may be repeated."""
    job = store.claimed()
    store.advance(2 * TTL)
    store.rescue()
    load = store.run(export([job.id]))
    before = store.job(job.id)
    assert store.run(store_batch(load)) == 0
    assert store.job(job.id) == before
    assert store.kinds(before.seq) == ["rescued"]
    assert walked(store) == [job.id]


def test_of_a_mixed_load_only_what_is_missing_is_added(store: Store) -> None:
    store.enqueue(new_job("a"), new_job("b"))
    load = store.run(export(["a", "b"]))
    taken_out(store, store.job("b"))
    assert store.run(store_batch(load)) == 1
    assert walked(store) == ["a", "b"]


def test_settings_are_taken_over(store: Store) -> None:
    store.run(queues.change("mail", {"weight": 3, "max_length": 9, "retry": "{}"}, by="me"))
    store.run(queues.pause("mail", by="me", reason="tired"))
    store.run(queues.pause("*", by="me", reason="all tired"))
    settings = store.run(queues.settings())
    store.run(queues.remove("mail"))
    store.run(queues.pause("*", by="you", reason=None, is_paused=False))
    store.advance(1)
    later = [msgspec.structs.replace(queue, changed_at=store.clock()) for queue in settings.values()]
    store.run(store_queues(later))
    assert store.run(queues.settings()) == {queue.name: queue for queue in later}


def test_settings_that_were_changed_here_since_stay(store: Store) -> None:
    """C10: an operator's edits survive."""
    store.run(queues.change("mail", {"weight": 3}, by="me"))
    old = store.run(queues.settings("mail"))["mail"]
    store.advance(MINUTE)
    store.run(queues.change("mail", {"weight": 5}, by="you"))
    store.run(store_queues([old]))
    assert store.run(queues.settings("mail"))["mail"].weight == 5
