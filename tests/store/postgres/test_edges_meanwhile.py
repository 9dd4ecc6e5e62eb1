"""Edges beside other transactions: none is missed, none is counted twice, and no ending waits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from tests.store.builders import ending, new_job
from tests.store.flows import after, child_of, edges, taken, tied
from tests.store.postgres.database import Database
from tests.store.postgres.open_stores import Opening
from tests.store.stores import Store
from windlass import Windlass
from windlass.core.records import Claimed
from windlass.core.state import State
from windlass.store.operations import jobs, queries
from windlass.store.operations.enqueue import enqueue

ENDED = (
    "WITH gone AS (DELETE FROM windlass.running WHERE seq = %s RETURNING seq, fence) "
    "INSERT INTO windlass.finished (seq, fence, finished_at, attempt, crashes, rescues, state, queue) "
    "SELECT seq, fence, 1, 1, 0, 0, 'completed', 'default' FROM gone"
)
"""What an ending does, in a transaction that the test keeps open."""


@pytest.fixture
def store(database: Database, opened: Opening) -> Store:
    """On its connections the server ends a wait for a lock after a while, which fails the call."""
    database.run(f"ALTER DATABASE {database.name} SET lock_timeout = '3s'")
    return opened()


@contextmanager
def caller(store: Store, database: Database, *parents: str) -> Iterator[psycopg.Connection[Any]]:
    """A caller whose open transaction has stored the job "child"."""
    with psycopg.connect(database.url) as connection:
        new = enqueue([after(new_job("child"))], {}, edges("child", parents))
        assert store.driver.join(connection).run(new)[0].state is State.BLOCKED
        yield connection


def state(store: Store, id: str = "child") -> State:
    return store.job(id).state


def running(store: Store, id: str = "parent") -> Claimed:
    store.enqueue(new_job(id))
    return taken(store.a_worker(), id)


def test_a_child_whose_parent_ends_before_the_commit_is_found_by_promote(store: Store, database: Database) -> None:
    """B36: the ending does not see it, and does not wait for it."""
    parent = running(store)
    with caller(store, database, "parent") as connection:
        assert not store.end(parent)
        store.run(jobs.promote())
        connection.commit()
    assert state(store) is State.BLOCKED
    assert store.run(queries.next_due()).next_promotion == 0
    store.run(jobs.promote())
    assert state(store) is State.PENDING


def test_a_child_whose_parent_ends_after_the_commit_is_released_by_that(store: Store, database: Database) -> None:
    parent = running(store)
    with caller(store, database, "parent") as connection:
        connection.commit()
    store.run(jobs.promote())
    assert not store.run(queries.next_due()).is_unsettled
    assert not store.end(parent)
    assert state(store) is State.PENDING


def test_a_child_that_was_rolled_back_leaves_nothing(store: Store, database: Database) -> None:
    parent = running(store)
    with caller(store, database, "parent") as connection:
        connection.rollback()
    assert not store.end(parent)
    assert database.run("SELECT count(*) FROM windlass.edge")[0][0] == 0


def test_an_edge_is_not_taken_for_known_while_its_parent_ends(store: Store, database: Database) -> None:
    """B36: the ending began before the edge was there, and commits after promote has looked."""
    parent = running(store)
    with psycopg.connect(database.url) as other:
        other.execute(ENDED, [parent.seq])
        assert child_of(store, "child", "parent") is State.BLOCKED
        store.run(jobs.promote())
        assert store.run(queries.next_due()).is_unsettled
        other.commit()
    store.run(jobs.promote())
    assert state(store) is State.PENDING


def test_an_ending_that_is_rolled_back_releases_nothing(store: Store, database: Database) -> None:
    parent = running(store)
    child_of(store, "child", "parent")
    store.run(jobs.promote())
    with psycopg.connect(database.url) as other:
        other.execute(ENDED, [parent.seq])
        other.rollback()
    assert state(store) is State.BLOCKED
    assert not store.end(parent)
    assert state(store) is State.PENDING


def test_two_parents_that_end_at_the_same_time_release_their_child_once(store: Store, database: Database) -> None:
    """B36: each sees the other one running."""
    worker = store.a_worker()
    tied(store, (new_job("a"), []), (new_job("b"), []), (new_job("child"), ["a", "b"]))
    first, second = worker.take()
    with psycopg.connect(database.url) as other:
        other.execute(ENDED, [first.seq])
        worker.cycle(endings=[ending(second)])
        store.run(jobs.promote())
        assert state(store) is State.BLOCKED
        other.commit()
    store.run(jobs.promote())
    assert state(store) is State.PENDING
    assert [job.id for job in worker.take()] == ["child"]


def test_a_child_that_another_transaction_holds_does_not_hold_up_an_ending(store: Store, database: Database) -> None:
    parent = running(store)
    child_of(store, "child", "parent")
    store.run(jobs.promote())
    with psycopg.connect(database.url) as other:
        other.execute("SELECT 1 FROM windlass.blocked FOR UPDATE")
        assert not store.end(parent)
        store.run(jobs.promote())
        assert state(store) is State.BLOCKED
    store.run(jobs.promote())
    assert state(store) is State.PENDING


def test_a_worker_is_not_done_while_a_child_is_in_other_hands(database: Database) -> None:
    """B36: the ending passes it by; promote frees it when it can, and the worker runs it."""
    with Windlass(database.url) as app, psycopg.connect(database.url) as other:

        @app.task
        def note() -> None: ...

        parent = note.enqueue()
        child = note.options(after=[parent]).enqueue()
        other.execute("SELECT 1 FROM windlass.blocked FOR UPDATE")
        looks = 0

        def let_go() -> bool:
            nonlocal looks
            looks += parent.refresh().state is State.COMPLETED
            if looks == 3:
                other.rollback()
            return False

        assert app.worker().run_until_empty(is_over=let_go) == 2
        assert child.refresh().state is State.COMPLETED
