"""Many threads on one driver, and on two: every call is whole, and none disturbs another."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

from tests.store.builders import OWN_ID, ending, fresh, new_job
from tests.store.stores import Store
from tests.waiting import PATIENCE
from windlass.core.state import State
from windlass.errors import IdConflict, QueueFull, WindlassError
from windlass.store.driver import DataRejected
from windlass.store.operations import jobs, queries, queues

A = TypeVar("A")
THREADS = 16


def at_once(work: Callable[[int], A], count: int = THREADS) -> list[A]:
    """What each of so many threads gave that began at the same moment."""
    start = Barrier(count)

    def begin(number: int) -> A:
        start.wait(timeout=PATIENCE)
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(begin, range(count)))


def failure(call: Callable[[], object]) -> type[WindlassError] | None:
    try:
        call()
    except WindlassError as error:
        return type(error)
    return None


def test_what_many_threads_enqueue_is_all_stored(store: Store) -> None:
    """B4, A15: through one driver."""

    def enqueue(number: int) -> None:
        for turn in range(10):
            store.enqueue(new_job(f"{number}.{turn}"), new_job(f"{number}.{turn}+"))

    at_once(enqueue)
    assert store.run(queries.counts()) == {"default": {State.PENDING: THREADS * 20}}


def test_a_call_that_fails_does_not_disturb_those_beside_it(store: Store) -> None:
    """The others of a shared commit are stored; the failing ones leave nothing (I11)."""
    store.enqueue(new_job("taken"), naming=OWN_ID)
    store.run(queues.change("full", {"max_length": 0}, by="me"))
    calls: list[Callable[[str], object]] = [
        lambda id: store.enqueue(new_job(id)),
        lambda id: store.enqueue(new_job(id), new_job("taken", task="other"), naming=OWN_ID),
        lambda id: store.enqueue(new_job(id), new_job(queue="full")),
        lambda id: store.enqueue(new_job(id), new_job(payload="\ud800")),
        lambda id: store.enqueue(new_job(id), new_job(priority=2**70)),
    ]
    expected = [None, IdConflict, QueueFull, DataRejected, DataRejected]

    def mixed(number: int) -> list[type[WindlassError] | None]:
        return [
            failure(lambda: calls[(number + turn) % 5](f"{number}.{turn}"))  # noqa: B023  # called at once
            for turn in range(20)
        ]

    for number, failures in enumerate(at_once(mixed)):
        assert failures == [expected[(number + turn) % 5] for turn in range(20)]
    good = [f"{number}.{turn}" for number in range(THREADS) for turn in range(20) if (number + turn) % 5 == 0]
    assert store.run(queries.counts()) == {"default": {State.PENDING: len(good) + 1}}
    assert sorted(store.run(queries.find(good))) == sorted(good)


def test_one_id_that_many_enqueue_at_once_is_one_job(store: Store) -> None:
    """B18: holds under concurrency."""
    drivers = [store, store.another()]
    stored = at_once(lambda number: drivers[number % 2].enqueue(new_job("a"), naming=OWN_ID)[0])
    assert sorted(one.is_duplicate for one in stored) == [False] + [True] * (THREADS - 1)
    assert store.run(queries.counts()) == {"default": {State.PENDING: 1}}


def test_one_key_that_many_enqueue_at_once_is_one_job(store: Store) -> None:
    """B17: holds under concurrency: 200 enqueues, one job, the same id returned."""
    drivers = [store, store.another()]

    def enqueue(number: int) -> set[str]:
        return {drivers[turn % 2].enqueue(new_job(fresh(f"{number}"), key="k"))[0].id for turn in range(13)}

    assert len(set.union(*at_once(enqueue))) == 1
    assert store.run(queries.counts()) == {"default": {State.PENDING: 1}}


def test_a_limit_holds_however_many_enqueue_at_once(store: Store) -> None:
    """B5: never one too many."""
    store.run(queues.change("default", {"max_length": 50}, by="me"))
    drivers = [store, store.another()]

    def enqueue(number: int) -> int:
        refusals = [failure(lambda: drivers[number % 2].enqueue(new_job())) for _ in range(10)]
        return refusals.count(QueueFull)

    assert sum(at_once(enqueue)) == THREADS * 10 - 50
    assert store.run(queries.counts()) == {"default": {State.PENDING: 50}}


def test_jobs_that_many_take_at_once_go_to_one_each(store: Store) -> None:
    """E1: claims, endings and enqueues of many threads at once."""
    store.enqueue(*(new_job() for _ in range(400)))
    drivers = [store, store.another()]

    def work(number: int) -> list[int]:
        worker = drivers[number % 2].a_worker()
        taken: list[int] = []
        claimed = worker.take(7)
        while claimed:
            taken += [job.seq for job in claimed]
            claimed = worker.cycle(endings=[ending(job) for job in claimed], requests=[("default", 7)]).claimed
        return taken

    seqs = [seq for taken in at_once(work, 8) for seq in taken]
    assert (len(seqs), len(set(seqs))) == (400, 400)
    assert store.run(queries.counts()) == {"default": {State.COMPLETED: 400}}


def test_many_who_cancel_at_once_leave_one_trace(store: Store) -> None:
    job = store.claimed()
    answers = at_once(lambda _: store.run(jobs.cancel([job.seq], by="me")), 8)
    assert sorted(map(len, answers)) == [0] * 7 + [1]
    assert store.kinds(job.seq) == ["cancel_requested"]
