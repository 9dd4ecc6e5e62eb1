"""Concurrency keys as an operator sees and sets them: limits, keys that jobs hold, counters that are wrong."""

from __future__ import annotations

import pytest

from tests.manual_clock import START
from tests.places.raw_store import RawStore
from tests.store.builders import SECOND, ids, new_job
from tests.store.stores import Store, Worker
from windlass.core.limits.concurrency import stored_key
from windlass.core.records import Claimed
from windlass.core.state import State
from windlass.store.operations import jobs
from windlass.store.operations.limits import concurrency
from windlass.store.operations.limits.concurrency import BusyKeyRecord, KeyDrift, KeyLimitRecord

U, V = stored_key("greet", "u"), stored_key("greet", "v")


def taken(worker: Worker) -> list[Claimed]:
    """What a worker gets that asks until no job was put aside."""
    found: list[Claimed] = []
    while True:
        result = worker.cycle(requests=[("default", 100)])
        found += result.claimed
        if not result.blocked:
            return found


def test_an_operator_decides_and_the_code_does_not_change_it(store: Store) -> None:
    """C3, C10: until it is taken back; who it was is kept."""
    store.run(concurrency.declare({"greet": 1}))
    store.run(concurrency.change("greet", 3, by="ada"))
    store.run(concurrency.declare({"greet": 2, "other": 5}))
    assert store.run(concurrency.limits()) == [
        KeyLimitRecord("greet", 2, 3, START, "ada"),
        KeyLimitRecord("other", 5),
    ]
    store.enqueue(*(new_job(id, one_of="u") for id in "abcd"))
    assert ids(taken(store.a_worker())) == ["a", "b", "c"]
    store.run(concurrency.change("greet", None, by="bob"))
    assert store.run(concurrency.limits("greet")) == [KeyLimitRecord("greet", 2)]
    assert store.run(concurrency.limits("nothing")) == []


def test_a_task_that_no_code_declares_may_be_limited(store: Store) -> None:
    store.run(concurrency.change("greet", 2, by="ada"))
    store.enqueue(*(new_job(one_of="u") for _ in range(3)))
    assert len(taken(store.a_worker())) == 2
    store.run(concurrency.change("greet", None, by="ada"))
    assert store.run(concurrency.limits()) == []


def test_a_limit_that_an_operator_raises_lets_jobs_go(store: Store) -> None:
    """C3: those of other tasks stay where they are."""
    worker = store.a_worker()
    for task in ("gree", "greet", "greet.more"):
        store.enqueue(*(new_job(f"{task}-{number}", task=task, one_of="u") for number in range(4)))
    assert len(taken(worker)) == 3
    store.run(concurrency.change("greet", 3, by="ada"))
    assert ids(taken(worker)) == ["greet-1", "greet-2"]
    store.run(concurrency.change("greet", 1, by="ada"))
    assert store.job("greet-1").state is State.RUNNING, "what runs finishes"


def test_keys_that_jobs_hold_are_listed_by_name(store: Store) -> None:
    """C3: with who holds them, and how many wait."""
    assert store.run(concurrency.busy(limit=9)) == []
    worker = store.a_worker()
    store.run(concurrency.declare({"greet": 2}))
    store.enqueue(
        *(new_job(f"u{number}", one_of="u") for number in range(5)), new_job("v", one_of="v"), new_job("free")
    )
    store.enqueue(new_job("later", one_of="w", delay=SECOND))
    first = taken(worker)
    running = [(id, State.RUNNING) for id in ("u0", "u1", "v")]
    assert store.run(concurrency.busy(limit=9)) == [
        BusyKeyRecord(U, 2, 2, 3, running[:2]),
        BusyKeyRecord(V, 2, 1, 0, running[2:]),
    ]
    worker.end(first[0])
    [found, _] = store.run(concurrency.busy(limit=9))
    assert found == BusyKeyRecord(U, 2, 2, 2, [("u1", State.RUNNING), ("u2", State.PENDING)]), "to run next"


def test_a_job_that_is_to_run_next_is_found_without_one_that_waits(store: Store) -> None:
    worker = store.a_worker()
    store.run(concurrency.declare({"greet": 3}))
    store.enqueue(*(new_job(f"u{number}", one_of="u") for number in range(5)))
    for job in taken(worker):
        worker.end(job)
    holders = [("u3", State.PENDING), ("u4", State.PENDING)]
    assert store.run(concurrency.busy(limit=9)) == [BusyKeyRecord(U, 3, 2, 0, holders)]


def test_they_come_in_pages(store: Store) -> None:
    worker = store.a_worker()
    store.enqueue(*(new_job(task=task, one_of=key) for task in ("a", "b") for key in ("x", "y", "z")))
    assert len(taken(worker)) == 6
    first = store.run(concurrency.busy(limit=4))
    rest = store.run(concurrency.busy(limit=4, after=first[-1].name))
    assert [key.name for key in first + rest] == [stored_key(task, key) for task in "ab" for key in "xyz"]
    of_b = store.run(concurrency.busy(of=stored_key("b", ""), limit=2))
    assert [key.name for key in of_b] == [stored_key("b", "x"), stored_key("b", "y")]
    assert store.run(concurrency.busy(of=stored_key("b", ""), after=of_b[-1].name, limit=2))[0].name == stored_key(
        "b", "z"
    )
    assert store.run(concurrency.busy(of=stored_key("c", ""), limit=2)) == []


def test_keys_that_no_job_holds_leave_nothing_behind(store: Store) -> None:
    """C3: whatever became of their jobs."""
    raw, worker = RawStore(store.place), store.a_worker()
    store.enqueue(*(new_job(id, one_of=id[0]) for id in ("u1", "u2", "v1", "v2", "w1")))
    before = taken(worker)
    assert ids(before) == ["u1", "v1", "w1"]
    for job in before[:2]:
        worker.end(job)
    store.run(jobs.cancel([store.job("v2").seq], by="me"))
    for job in taken(worker):
        worker.end(job)
    worker.end(before[2])
    assert store.run(concurrency.busy(limit=9)) == []
    assert raw.left_of_concurrency_keys() == []


# Counters.


def test_counters_that_are_right_stay(store: Store) -> None:
    worker = store.a_worker()
    store.enqueue(*(new_job(id, one_of="u") for id in "abc"), new_job("v", one_of="v"))
    first, _ = taken(worker)
    assert store.run(concurrency.mend_keys()) == []
    worker.end(first)
    assert store.run(concurrency.mend_keys()) == []
    assert store.job("b").state is State.PENDING


@pytest.mark.only_on("postgres", "redis")
def test_a_key_that_is_held_by_fewer_than_is_counted_is_a_defect(store: Store) -> None:
    """C3: it is mended, and the jobs that wait for it go on."""
    store.run(concurrency.declare({"greet": 2}))
    worker = store.a_worker()
    store.enqueue(new_job("a", one_of="u"))
    assert ids(taken(worker)) == ["a"]
    RawStore(store.place).miscount_key(U, 1)
    store.enqueue(new_job("b", one_of="u"), new_job("c", one_of="u"))
    assert taken(worker) == []
    assert store.run(concurrency.mend_keys()) == [KeyDrift(U, 2, 1)]
    assert store.run(concurrency.mend_keys()) == []
    assert ids(taken(worker)) == ["b"]


@pytest.mark.only_on("postgres", "redis")
def test_a_key_that_is_held_by_more_than_is_counted_is_a_defect(store: Store) -> None:
    """C3: no further job of it runs once it is mended."""
    worker = store.a_worker()
    store.enqueue(new_job("a", one_of="u"))
    [first] = taken(worker)
    RawStore(store.place).miscount_key(U, -1)
    assert store.run(concurrency.mend_keys()) == [KeyDrift(U, 0, 1)]
    store.enqueue(new_job("b", one_of="u"))
    assert taken(worker) == []
    worker.end(first)
    assert ids(taken(worker)) == ["b"]


@pytest.mark.only_on("postgres", "redis")
def test_a_key_that_nothing_holds_is_free_again(store: Store) -> None:
    """C3: with the walk over the keys that jobs wait for, at the latest."""
    store.enqueue(new_job("a", one_of="u"))
    worker = store.a_worker()
    [first] = taken(worker)
    RawStore(store.place).miscount_key(U, 1)
    worker.end(first)
    store.enqueue(new_job("b", one_of="u"))
    assert taken(worker) == []
    found = list(store.run(concurrency.unblock_page()).drifted) + store.run(concurrency.mend_keys())
    assert found == [KeyDrift(U, 1, 0)]
    assert ids(taken(worker)) == ["b"]
