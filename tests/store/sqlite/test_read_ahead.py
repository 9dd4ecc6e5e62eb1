"""Upkeep reads before it takes the file's lock, checks again when it writes, and writes in one step where it can."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.places.place import SqlitePlace
from tests.store.builders import DAY, new_job, raised
from tests.store.flows import child_of
from tests.store.stores import Store, open_store
from windlass.core.state import State
from windlass.errors import StoreUnavailable
from windlass.store.operation import Answer
from windlass.store.operations import jobs
from windlass.store.operations.enqueue import Uniqueness
from windlass.store.operations.upkeep.prune import FinishedLine, prune_oldest
from windlass.store.sqlite.driver import SqliteDriver
from windlass.store.sqlite.statements import BoundCall
from windlass.testing import ManualClock

FAILED = FinishedLine("default", State.FAILED)
BESIDE = ["payload", "tags", "steps", "edges", "children", "members"]


@pytest.fixture
def own(place: SqlitePlace) -> Iterator[Store]:
    with open_store(place, clock=ManualClock()) as store:
        yield store


def a_failed_job(store: Store, name: str, *, key: str | None = None) -> None:
    store.finished(raised(), new=new_job(name, attempts=1, key=key))


def read(store: Store) -> BoundCall:
    """What retention has found that may go; it is not removed yet."""
    driver = store.driver
    assert isinstance(driver, SqliteDriver)
    call = next(prune_oldest(FAILED, age=DAY, beyond=None))
    with closing(driver._file.connect()) as reader:
        return driver._calls.bind(call).read_ahead(reader)


def remove(store: Store, call: BoundCall) -> Answer:
    assert isinstance(store.driver, SqliteDriver)
    return store.driver._connections._keep_up(call)


def test_of_plain_jobs_a_single_statement_is_left(own: Store) -> None:
    """After each statement the thread waits for its turn to run Python, and has the file's lock meanwhile."""
    a_failed_job(own, "a")
    a_failed_job(own, "b")
    own.advance(2 * DAY)
    call = read(own)
    assert [statement.name for statement in call.statements] == ["plain"]
    assert remove(own, call)["pruned"][0][0] == 2
    assert own.count() == 0
    assert isinstance(own.driver, SqliteDriver)
    connection = own.driver._connections.writer.connection
    assert connection is not None
    assert not connection.is_in_transaction


def test_what_belongs_to_jobs_is_left_too(own: Store) -> None:
    window = Uniqueness(until="window", window=1000 * DAY)
    own.enqueue(new_job("a", attempts=1, key="k"), naming=window)
    [taken] = own.a_worker().take()
    own.end(taken, raised())
    a_failed_job(own, "b")
    own.run(jobs.retry([own.job("b").seq], by="operator"))  # which is noted as an event
    [taken] = own.a_worker().take()
    own.end(taken, raised())
    own.advance(2 * DAY)
    assert own.kinds(own.job("b").seq) != []
    call = read(own)
    assert [statement.name for statement in call.statements] == [
        "keys",
        "events",
        "others",
        *BESIDE,
        "plain",
    ]
    remove(own, call)
    assert own.count() == 0
    place = own.place
    assert isinstance(place, SqlitePlace)
    assert place.execute("SELECT seq FROM windlass_event WHERE seq IS NOT NULL") == []
    assert [new.id for new in own.enqueue(new_job("c", key="k"), naming=window)] == ["c"]


def test_where_nothing_may_go_nothing_is_left(own: Store) -> None:
    a_failed_job(own, "a")
    call = read(own)
    assert (call.statements, call.found) == ([], {"pruned": []})
    assert remove(own, call) == {"pruned": []}
    assert own.count() == 1


def test_one_that_is_retried_meanwhile_stays(own: Store) -> None:
    """A13: with its key and its events; the others go."""
    a_failed_job(own, "a", key="k")
    a_failed_job(own, "b")
    own.advance(2 * DAY)
    call = read(own)
    own.run(jobs.retry([own.job("a").seq], by="operator"))
    remove(own, call)
    assert (own.count(), own.job("a").state) == (1, State.PENDING)
    assert own.kinds(own.job("a").seq) != []


def test_one_that_failed_anew_meanwhile_stays(own: Store) -> None:
    a_failed_job(own, "a")
    own.advance(2 * DAY)
    call = read(own)
    own.run(jobs.retry([own.job("a").seq], by="operator"))
    [taken] = own.a_worker().take()
    own.end(taken, raised())
    remove(own, call)
    assert own.job("a").state is State.FAILED


def test_one_for_which_a_job_waits_meanwhile_stays(own: Store) -> None:
    a_failed_job(own, "a")
    own.advance(2 * DAY)
    call = read(own)
    assert child_of(own, "child", "a", policy="wait") is State.BLOCKED
    remove(own, call)
    assert own.job("a").state is State.FAILED


def test_a_locked_file_is_reported_and_nothing_is_held(place: SqlitePlace) -> None:
    with open_store(place, clock=ManualClock(), deadline=0.2) as store:
        a_failed_job(store, "a")
        store.advance(2 * DAY)
        with closing(place.connect()) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreUnavailable, match=r"locked for 0.2 s"):
                store.run(prune_oldest(FAILED, age=DAY, beyond=None))
            other.execute("ROLLBACK")
        assert store.count() == 1
        assert store.run(prune_oldest(FAILED, age=DAY, beyond=None)) is not None
        assert store.count() == 0
