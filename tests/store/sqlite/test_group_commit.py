"""Group commit: calls that wait for the same lock share one commit, and one that fails leaves the others alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from typing import Any, TypeVar

import pytest
from msgspec.structs import replace

from tests.places.place import SqlitePlace
from tests.store.builders import new_job
from tests.store.stores import Store, open_store
from tests.strikes import Strike, sweep
from tests.waiting import PATIENCE, eventually
from windlass.errors import IdConflict, StoreUnavailable
from windlass.store.driver import DataRejected
from windlass.store.operation import Lane, Operation
from windlass.store.operations import enqueue, queries
from windlass.store.operations.enqueue import Uniqueness
from windlass.store.sqlite import group_commit
from windlass.store.sqlite.driver import SqliteDriver

T = TypeVar("T")
THREADS = 100
"""More than share one commit, so that there are two."""
LEADS = tuple(f"windlass.store.sqlite.{module}" for module in ("group_commit", "file", "statements", "libraries"))
"""What the committing thread goes through between its turn and its commit."""


def are_queued(driver: SqliteDriver, calls: Sequence[Future[Any]], *, before: int = 0) -> bool:
    """Whether all wait for their turn or were refused; ``before`` so many have it."""
    return len(driver._connections.writer._queued) + sum(map(Future.done, calls)) + before == len(calls)


def unhurried(operation: Operation[T]) -> Operation[T]:
    """The same operation as upkeep, which no caller waits for."""
    call = next(operation)
    while True:
        try:
            call = operation.send((yield replace(call, lane=Lane.UPKEEP)))
        except StopIteration as end:
            result: T = end.value
            return result


def enqueue_unhurried(store: Store, name: str) -> object:
    return store.run(unhurried(enqueue.enqueue([new_job(name, payload="[1]")], {})))


@pytest.fixture
def long_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Upkeep waits for others as if it had all the time of the test, and every commit was just now."""
    monkeypatch.setattr(group_commit, "_SHARING", 10 * PATIENCE)
    monkeypatch.setattr(group_commit, "_BUSY", 10 * PATIENCE)


@contextmanager
def gathered(place: SqlitePlace, store: Store, calls: list[Callable[[], object]]) -> Iterator[list[Future[object]]]:
    """Calls that all wait for one lock, which is given up when the block ends; some may be refused before."""
    driver = store.driver
    assert isinstance(driver, SqliteDriver)
    with closing(place.connect()) as connection, ThreadPoolExecutor(len(calls)) as pool:
        connection.execute("BEGIN IMMEDIATE")
        futures = [pool.submit(calls[0])]
        # The first has taken itself off the line and waits for the file; the others stand behind it.
        eventually(lambda: driver._connections.writer._turn.locked() and not driver._connections.writer._queued)
        futures += [pool.submit(call) for call in calls[1:]]
        eventually(partial(are_queued, driver, futures, before=1))
        yield futures
        connection.execute("ROLLBACK")


def test_calls_that_gathered_are_all_stored(place: SqlitePlace) -> None:
    """A15: threads of a web server share commits."""
    with open_store(place) as store:
        store.count()
        calls = [lambda number=number: store.enqueue(new_job(f"{number}")) for number in range(THREADS)]
        with gathered(place, store, [*calls]) as futures:
            assert not any(future.done() for future in futures)
        for future in futures:
            future.result(10)
        assert store.count() == THREADS


def test_one_that_fails_leaves_the_others_alone(place: SqlitePlace) -> None:
    """Each call of a shared commit stands for itself (I11)."""
    with open_store(place) as store:
        store.enqueue(new_job("taken"))
        own = {0: Uniqueness(has_own_id=True)}

        def conflict() -> object:
            return store.run(enqueue.enqueue([new_job("taken", task="other"), new_job("beside")], own))

        def poison() -> None:
            store.enqueue(new_job("beside too"), new_job(payload="\ud800"))

        def huge() -> None:
            store.enqueue(new_job("beside also"), new_job(priority=2**70))

        def wrong() -> None:
            store.enqueue(new_job("beside all"), new_job(payload=object()))  # type: ignore[arg-type]

        good = [lambda number=number: store.enqueue(new_job(f"{number}")) for number in range(40)]
        with gathered(place, store, [*good[:10], conflict, poison, huge, wrong, *good[10:]]) as futures:
            pass
        errors = [type(future.exception(10)) for future in futures]
        assert errors[10:14] == [IdConflict, DataRejected, DataRejected, TypeError]
        assert set(errors[:10] + errors[14:]) == {type(None)}
        assert store.count() == 41
        assert store.run(queries.find(["beside", "beside too", "beside also", "beside all"])) == {}


def test_batches_after_one_with_a_failure_are_whole(place: SqlitePlace) -> None:
    """A batch is run in another way after one in which a call failed; the answers are the same (I11)."""
    with open_store(place) as store:
        store.enqueue(new_job("taken"))
        own = {0: Uniqueness(has_own_id=True)}
        for turn, fails in enumerate([True, True, False, False, True]):

            def last(turn: int = turn, fails: bool = fails) -> object:
                job = new_job("taken", task="other") if fails else new_job(f"last {turn}")
                return store.run(enqueue.enqueue([job, new_job(f"beside {turn}")], own))

            good = [lambda name=f"{turn} {number}": store.enqueue(new_job(name)) for number in range(9)]
            with gathered(place, store, [*good, last]) as futures:
                pass
            assert [type(future.exception(10)) for future in futures] == [type(None)] * 9 + [
                IdConflict if fails else type(None)
            ]
        assert store.count() == 1 + 5 * 9 + 2 * 2


def test_a_commit_that_fails_is_told_to_every_caller(place: SqlitePlace) -> None:
    """Nobody is told that something was stored that was not (I10)."""
    with open_store(place, deadline=0.3) as store:
        store.count()
        calls = [lambda: store.enqueue(new_job()) for _ in range(20)]
        with gathered(place, store, [*calls]) as futures:
            assert {type(future.exception(20)) for future in futures} == {StoreUnavailable}
        assert store.count() == 0
        store.enqueue(new_job())


def test_a_leader_that_is_struck_anywhere_leaves_the_others_alone(place: SqlitePlace) -> None:
    """A15, I10: whoever shares a commit with a thread that is interrupted is told the truth."""
    with open_store(place) as store, open_store(place, deadline=2) as rival, ThreadPoolExecutor(3) as threads:
        rival.enqueue(new_job())
        driver = store.driver
        assert isinstance(driver, SqliteDriver)
        store.count()
        for number, striker in enumerate(sweep(*LEADS)):
            names = [f"{number}-{part}" for part in range(3)]
            with driver._connections.writer._turn:
                calls: list[Callable[[], object]] = [
                    partial(store.enqueue, new_job(name, payload="[1]")) for name in names[:2]
                ]
                calls.append(partial(enqueue_unhurried, store, names[2]))
                told = [threads.submit(striker.during, call) for call in calls]
                eventually(partial(are_queued, driver, told))
            errors = [future.result(PATIENCE) for future in told]
            assert sum(error is not None for error in errors) <= 1, (striker.struck, errors)
            stored = store.run(queries.find(names))
            for name, error in zip(names, errors, strict=True):
                assert isinstance(error, Strike) or name in stored, (striker.struck, error)
            rival.enqueue(new_job())


def test_upkeep_shares_the_commit_of_another_thread(place: SqlitePlace, long_waits: None) -> None:
    """A13: cleaning beside a busy worker takes no lock and syncs no disk of its own."""
    with open_store(place) as store, ThreadPoolExecutor(1) as thread:
        store.enqueue(new_job())
        driver = store.driver
        assert isinstance(driver, SqliteDriver)
        upkeep = thread.submit(enqueue_unhurried, store, "upkeep")
        eventually(partial(are_queued, driver, [upkeep]))
        assert store.count() == 1
        store.enqueue(new_job())
        upkeep.result(PATIENCE)
        assert store.count() == 3


def test_upkeep_alone_waits_for_no_other_commit(place: SqlitePlace, long_waits: None) -> None:
    """Its own commits are not those of others: a process that only cleans does so without a pause."""
    with open_store(place) as store:
        for number in range(3):
            enqueue_unhurried(store, f"{number}")
        assert store.count() == 3


def test_upkeep_goes_on_alone_when_no_commit_comes(place: SqlitePlace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_commit, "_BUSY", 10 * PATIENCE)
    with open_store(place) as store:
        store.enqueue(new_job())
        enqueue_unhurried(store, "upkeep")
        assert store.count() == 2


def test_an_error_of_a_shared_commit_reaches_upkeep(place: SqlitePlace, long_waits: None) -> None:
    """I10: upkeep is not told that something was done that was not."""
    with open_store(place, deadline=0.3) as store, ThreadPoolExecutor(1) as thread:
        store.enqueue(new_job())
        driver = store.driver
        assert isinstance(driver, SqliteDriver)
        upkeep = thread.submit(enqueue_unhurried, store, "upkeep")
        eventually(partial(are_queued, driver, [upkeep]))
        with closing(place.connect()) as connection:
            connection.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreUnavailable):
                store.enqueue(new_job())
            assert type(upkeep.exception(PATIENCE)) is StoreUnavailable
            connection.execute("ROLLBACK")
        assert store.count() == 1
