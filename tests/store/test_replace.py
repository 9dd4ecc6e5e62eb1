"""enqueue that replaces: a job that waits takes the arguments, or the time as well, of one with the same key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from typing import Any

import pytest

from tests.manual_clock import START
from tests.store.builders import HOUR, INTERRUPTED, MINUTE, SECOND, TTL, ids, new_job, raised
from tests.store.stores import Store, Worker
from windlass.core.outcome import Postponed
from windlass.core.records import Claimed, JobRecord
from windlass.core.state import State
from windlass.errors import IdConflict, QueueFull
from windlass.store.operations import jobs, queries, queues
from windlass.store.operations.enqueue import Enqueued, NewJob, Uniqueness, enqueue
from windlass.store.operations.limits.concurrency import declare

KEEP = Uniqueness()
REPLACE = Uniqueness(on_conflict="replace")
POSTPONE = Uniqueness(on_conflict="postpone")
AT_MOST_A_MINUTE = Uniqueness(on_conflict="postpone", max_wait=MINUTE)
UNTIL_STARTED = Uniqueness(until="started", on_conflict="replace")


def args(text: str) -> str:
    return f'{{"v":1,"args":["{text}"],"kwargs":{{}}}}'


def job(text: str, id: str | None = None, **more: Any) -> NewJob:
    return new_job(id, **{"key": "k", "payload": args(text), **more})


def replace(store: Store, new: NewJob, naming: Uniqueness = REPLACE) -> Enqueued:
    [stored] = store.enqueue(new, naming=naming)
    return stored


def changed(before: JobRecord, after: JobRecord) -> set[str]:
    return {name for name in before.__struct_fields__ if getattr(before, name) != getattr(after, name)}


# What is replaced.


@pytest.mark.parametrize("delay", [0, HOUR])
def test_a_job_that_waits_takes_the_new_arguments_and_nothing_else(store: Store, delay: int) -> None:
    """B17: its id, time, priority and place stay."""
    before = store.a_job(job("old", "a", delay=delay))
    store.advance(SECOND)
    stored = replace(store, job("new", priority=9, attempts=1, queue="other", meta="{}", delay=MINUTE))
    after = store.job("a")
    assert stored == Enqueued("a", before.state, True, True)
    assert (changed(before, after), after.payload) == ({"payload"}, args("new"))
    assert store.count() == 1


def test_a_free_key_makes_a_job(store: Store) -> None:
    assert replace(store, job("new", "a")) == Enqueued("a", State.PENDING)
    assert store.kinds(store.job("a").seq) == []


def test_a_claim_gets_the_new_arguments_in_the_old_place(store: Store) -> None:
    store.enqueue(job("old", "a"), new_job("b"))
    replace(store, job("new"))
    claimed = store.a_worker().take()
    assert [(one.id, one.payload) for one in claimed] == [("a", args("new")), ("b", new_job().payload)]


@pytest.mark.parametrize("old", [64, 65, 1_100])
@pytest.mark.parametrize("new", [64, 65, 1_100])
def test_arguments_of_every_length_replace_each_other(store: Store, old: int, new: int) -> None:
    """A store may keep long ones apart."""
    store.enqueue(job("", "a", payload="o" * old))
    replace(store, job("", payload="n" * new))
    assert store.job("a").payload == "n" * new
    [claimed] = store.a_worker().take()
    assert claimed.payload == "n" * new
    store.end(claimed)
    record = store.job("a")
    store.run(jobs.delete([(record.seq, "a")]))
    assert not store.exists("a")


def test_one_event_counts_how_often(store: Store) -> None:
    """A12: a job that is replaced all the time does not grow."""
    before = store.a_job(job("old", "a"))
    for number in range(3):
        store.advance(SECOND)
        replace(store, job(f"{number}"))
    [event] = store.events(before.seq)
    assert (event.kind, event.at, (event.detail or "").replace(" ", "")) == (
        "replaced",
        START + 3 * SECOND,
        '{"times":3}',
    )


def a_run(store: Store) -> None:
    store.a_worker().take()


def a_second_attempt(store: Store) -> None:
    [claimed] = store.a_worker().take()
    store.end(claimed, raised(delay=HOUR))


def a_second_attempt_that_is_due(store: Store) -> None:
    [claimed] = store.a_worker().take()
    store.end(claimed, raised(delay=0))
    store.run(jobs.promote())


@pytest.mark.parametrize("bring", [a_run, a_second_attempt, a_second_attempt_that_is_due])
@pytest.mark.parametrize("naming", [REPLACE, POSTPONE], ids=["replace", "postpone"])
def test_a_job_that_has_begun_is_kept(store: Store, bring: Callable[[Store], None], naming: Uniqueness) -> None:
    """B17: and the enqueue is a duplicate."""
    store.enqueue(job("old", "a"))
    bring(store)
    before = store.job("a")
    assert replace(store, job("new", delay=MINUTE), naming) == Enqueued("a", before.state, True)
    assert store.job("a") == before
    assert store.kinds(before.seq) == []


def a_release(store: Store) -> None:
    [claimed] = store.a_worker().take()
    store.end(claimed, INTERRUPTED)


def a_snooze(store: Store) -> None:
    [claimed] = store.a_worker().take()
    store.end(claimed, Postponed(HOUR))


@pytest.mark.parametrize("bring", [a_release, a_snooze])
def test_a_job_that_came_back_uncharged_is_replaced(store: Store, bring: Callable[[Store], None]) -> None:
    store.enqueue(job("old", "a"))
    bring(store)
    before = store.job("a")
    assert replace(store, job("new")) == Enqueued("a", before.state, True, True)
    assert changed(before, store.job("a")) == {"payload"}


@pytest.mark.parametrize(("naming", "state"), [(REPLACE, State.PENDING), (POSTPONE, State.SCHEDULED)])
def test_a_blocked_job_is_replaced_and_looks_anew_for_what_it_waits_for(
    store: Store, naming: Uniqueness, state: State
) -> None:
    """B17: it waits for its first attempt, and new arguments may be about something else."""
    store.enqueue(job("old", "a"), new_job("b"))
    store.place.force("a", "blocked")
    assert replace(store, job("new", delay=SECOND), naming) == Enqueued("a", state, True, True)
    assert store.run(queries.counts())["default"] == Counter({State.PENDING: 1}) + Counter({state: 1})
    if state is State.SCHEDULED:
        store.advance(SECOND)
        store.run(jobs.promote())
    claimed = store.a_worker().take()
    assert sorted((one.id, one.payload) for one in claimed) == [("a", args("new")), ("b", new_job().payload)]
    store.end(claimed[0])
    assert sum(store.run(queries.counts())["default"].values()) == 2


def behind_another(store: Store) -> tuple[Worker, Claimed]:
    """A job that waits for its concurrency key, and the one that runs under it."""
    store.run(declare({"greet": 1}))
    store.enqueue(new_job("first", one_of="u"), job("old", "a", one_of="u"))
    worker = store.a_worker()
    [first] = worker.take()
    assert store.job("a").state is State.BLOCKED
    return worker, first


def test_a_job_that_waits_for_its_concurrency_key_waits_for_it_again(store: Store) -> None:
    """B17: with the new arguments."""
    worker, first = behind_another(store)
    assert replace(store, job("new", one_of="u")) == Enqueued("a", State.PENDING, True, True)
    assert worker.take() == []
    assert store.job("a").state is State.BLOCKED
    worker.end(first)
    assert [one.payload for one in worker.take()] == [args("new")]


def test_new_arguments_may_have_another_concurrency_key(store: Store) -> None:
    """B17: the job waits no longer for the old one."""
    worker, _ = behind_another(store)
    assert replace(store, job("new", one_of="v")).is_replaced
    assert [one.payload for one in worker.take()] == [args("new")]


@pytest.mark.parametrize("naming", [REPLACE, POSTPONE])
def test_a_job_that_holds_its_concurrency_key_takes_arguments_and_no_other_time(
    store: Store, naming: Uniqueness
) -> None:
    """B17: it is the next to run, and the others of its key wait for it."""
    worker, first = behind_another(store)
    worker.end(first)
    store.enqueue(new_job("b", one_of="u"))
    assert replace(store, job("new", one_of="u", delay=HOUR), naming) == Enqueued("a", State.PENDING, True, True)
    [claimed] = worker.take()
    assert (claimed.id, claimed.payload) == ("a", args("new"))
    worker.end(claimed)
    assert ids(worker.take()) == ["b"]


def test_a_job_that_holds_its_concurrency_key_takes_no_arguments_of_another(store: Store) -> None:
    worker, first = behind_another(store)
    worker.end(first)
    assert replace(store, job("new", one_of="v")) == Enqueued("a", State.PENDING, True)
    assert [one.payload for one in worker.take()] == [args("old")]


def test_a_suspect_stays_one(store: Store) -> None:
    store.enqueue(job("old", "a"), new_job("b"), new_job("c", key="other"))
    worker = store.a_worker()
    worker.take(3)
    store.advance(TTL)
    store.rescue()
    replace(store, job("new"))
    replace(store, job("new"), POSTPONE)
    other = store.a_worker()
    assert len(other.take()) == 1, "a cycle takes one suspect at the most"


def test_the_job_of_another_task_is_kept(store: Store) -> None:
    before = store.a_job(job("old", "a", task="other"))
    assert replace(store, job("new")) == Enqueued("a", State.PENDING, True)
    assert store.job("a") == before


def test_a_key_that_is_held_until_the_start_is_free_after_it(store: Store) -> None:
    """B17: what comes while the job runs is a job of its own, and replaced by what follows."""
    replace(store, job("first", "a"), UNTIL_STARTED)
    a_run(store)
    assert replace(store, job("second", "b"), UNTIL_STARTED) == Enqueued("b", State.PENDING)
    assert replace(store, job("third"), UNTIL_STARTED) == Enqueued("b", State.PENDING, True, True)
    assert (store.job("a").payload, store.job("b").payload) == (args("first"), args("third"))


# When it runs then.


def test_postponing_moves_the_time(store: Store) -> None:
    """B17: to that of the new request."""
    before = store.a_job(job("old", "a", delay=10 * SECOND))
    store.advance(4 * SECOND)
    assert replace(store, job("new", delay=10 * SECOND), POSTPONE) == Enqueued("a", State.SCHEDULED, True, True)
    after = store.job("a")
    assert (changed(before, after), after.run_at) == ({"payload", "run_at"}, START + 14 * SECOND)
    store.advance(9 * SECOND)
    assert store.run(jobs.promote()) == 0
    store.advance(SECOND)
    assert store.run(jobs.promote()) == 1
    [claimed] = store.a_worker().take()
    assert claimed.payload == args("new")


def test_postponing_goes_by_instants_as_well(store: Store) -> None:
    store.enqueue(job("old", "a", delay=SECOND))
    replace(store, job("new", at=START + HOUR), POSTPONE)
    assert store.job("a").run_at == START + HOUR
    replace(store, job("newer", at=START + 2 * HOUR), AT_MOST_A_MINUTE)
    assert store.job("a").run_at == START + HOUR, "a time behind max_wait is not brought forward"


@pytest.mark.parametrize(("waited", "expected"), [(0, 40), (20, 60), (39, 60)])
def test_max_wait_bounds_it(store: Store, waited: int, expected: int) -> None:
    """B17: counted from the job's own enqueue, however often it is postponed."""
    store.enqueue(job("old", "a", delay=40 * SECOND))
    for _ in range(2):
        store.advance(waited * SECOND // 2)
        replace(store, job("new", delay=40 * SECOND), AT_MOST_A_MINUTE)
    assert store.job("a").run_at == START + min(40 + waited // 2 * 2, expected) * SECOND


def test_a_job_whose_max_wait_is_over_stays_ready(store: Store) -> None:
    store.enqueue(job("old", "a"), new_job("b"))
    store.advance(MINUTE)
    assert replace(store, job("new", delay=MINUTE), AT_MOST_A_MINUTE) == Enqueued("a", State.PENDING, True, True)
    assert store.job("a").run_at == START
    assert ids(store.a_worker().take()) == ["a", "b"]


def test_a_job_that_is_ready_waits_again(store: Store) -> None:
    store.enqueue(job("old", "a"))
    assert replace(store, job("new", delay=SECOND), POSTPONE) == Enqueued("a", State.SCHEDULED, True, True)
    assert store.a_worker().take() == []
    assert store.run(queries.counts()) == {"default": {State.SCHEDULED: 1}}
    store.advance(SECOND)
    store.run(jobs.promote())
    assert ids(store.a_worker().take()) == ["a"]


def test_a_request_for_now_makes_it_ready(store: Store) -> None:
    store.enqueue(job("old", "a", delay=HOUR))
    store.advance(SECOND)
    assert replace(store, job("new"), POSTPONE) == Enqueued("a", State.PENDING, True, True)
    assert store.job("a").run_at == START + SECOND
    assert ids(store.a_worker().take()) == ["a"]


# Many in one call.


def bulk(store: Store, *given: tuple[NewJob, Uniqueness]) -> list[Enqueued]:
    return store.run(enqueue([new for new, _ in given], {index: naming for index, (_, naming) in enumerate(given)}))


def test_the_last_of_a_call_counts_for_a_free_key(store: Store) -> None:
    """B4, B17: as a whole, so that one job is stored."""
    stored = bulk(store, (job("1", "a"), REPLACE), (job("2", "b"), REPLACE), (new_job("c"), KEEP))
    assert stored == [
        Enqueued("b", State.PENDING, True),
        Enqueued("b", State.PENDING),
        Enqueued("c", State.PENDING),
    ]
    assert (store.job("b").payload, store.count()) == (args("2"), 2)


def test_the_last_of_a_call_counts_for_a_held_key(store: Store) -> None:
    store.enqueue(job("old", "a", delay=SECOND))
    stored = bulk(store, (job("1"), REPLACE), (job("2", delay=HOUR), POSTPONE), (job("3"), KEEP))
    assert stored == [
        Enqueued("a", State.SCHEDULED, True),
        Enqueued("a", State.SCHEDULED, True, True),
        Enqueued("a", State.SCHEDULED, True),
    ]
    after = store.job("a")
    assert (after.payload, after.run_at) == (args("2"), START + HOUR)
    assert [(event.detail or "").replace(" ", "") for event in store.events(after.seq)] == ['{"times":1}']


def test_many_jobs_are_replaced_in_one_call(store: Store) -> None:
    """B4."""
    store.enqueue(*(new_job(f"{number}", key=f"{number}", delay=number % 2 * HOUR) for number in range(300)))
    new = [new_job(key=f"{number}", payload=args(f"{number}")) for number in reversed(range(400))]
    stored = store.enqueue(*new, naming=REPLACE)
    assert [one.is_replaced for one in stored] == [False] * 100 + [True] * 300
    found = store.run(queries.find([f"{number}" for number in range(300)]))
    assert all(found[f"{number}"].payload == args(f"{number}") for number in range(300))


def test_an_id_that_is_there_replaces_nothing_again(store: Store) -> None:
    """B18: a repeat of an enqueue that was stored changes nothing."""
    own = Uniqueness(has_own_id=True, on_conflict="replace")
    replace(store, job("1", "mine"), own)
    replace(store, job("2"))
    with pytest.raises(IdConflict):  # it has other arguments now
        replace(store, job("1", "mine"), own)
    assert replace(store, job("2", "mine"), own) == Enqueued("mine", State.PENDING, True)
    assert store.job("mine").payload == args("2")


@pytest.mark.parametrize("refusal", [QueueFull, IdConflict])
def test_a_call_that_is_refused_replaces_nothing(store: Store, refusal: type[Exception]) -> None:
    """B4: all or none."""
    before = store.a_job(job("old", "a"))
    store.a_job(new_job("taken"))
    store.run(queues.change("full", {"max_length": 0}, by="me"))
    bad = new_job("taken", task="other") if refusal is IdConflict else new_job(queue="full")
    naming = Uniqueness(has_own_id=refusal is IdConflict)
    with pytest.raises(refusal):
        bulk(store, (job("new", delay=HOUR), POSTPONE), (bad, naming))
    assert store.job("a") == before
    assert store.kinds(before.seq) == []


def test_a_queue_that_is_full_replaces_all_the_same(store: Store) -> None:
    """B5: nothing is added."""
    store.run(queues.change("default", {"max_length": 1}, by="me"))
    store.enqueue(job("old", "a"))
    assert replace(store, job("new")).is_replaced


# Many at once.


def test_fifty_producers_make_one_job(store: Store) -> None:
    """B17: and the last of them counts."""
    producers, drivers = 50, [store, *(store.another(deadline=60) for _ in range(4))]
    start = Barrier(producers)

    def produce(number: int) -> Enqueued:
        start.wait(timeout=60)
        return replace(drivers[number % len(drivers)], job(f"{number}", delay=HOUR), POSTPONE)

    with ThreadPoolExecutor(producers) as threads:
        stored = list(threads.map(produce, range(producers)))
    [found] = {one.id for one in stored}
    assert sorted((one.is_duplicate, one.is_replaced) for one in stored) == [(False, False)] + [(True, True)] * 49
    record = store.job(found)
    assert record.payload in {args(f"{number}") for number in range(producers)}
    assert (store.count(), record.state) == (1, State.SCHEDULED)
    [event] = store.events(record.seq)
    assert (event.detail or "").replace(" ", "") == '{"times":49}'


def test_no_arguments_are_lost_beside_a_worker(store: Store) -> None:
    """B17: each request runs, or a later one of the same key does."""
    other, is_over = store.another(deadline=60), Event()
    worker = other.a_worker()

    def work() -> list[int]:
        ran: list[int] = []
        while True:
            last_round = is_over.is_set()
            claimed = worker.take(5)
            ran += [int(one.payload) for one in claimed]
            for one in claimed:
                worker.end(one)
            if last_round:
                return ran

    with ThreadPoolExecutor(1) as thread:
        working = thread.submit(work)
        for number in range(150):
            replace(store, job("", payload=f"{number}"), UNTIL_STARTED)
        is_over.set()
        ran = working.result(timeout=60)
    assert ran == sorted(set(ran))
    assert ran[-1] == 149
