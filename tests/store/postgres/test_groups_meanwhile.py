"""Groups beside other transactions: the callback is not let go before the last member has ended."""

from __future__ import annotations

from threading import Thread
from typing import Any

import psycopg
import pytest

from tests.store.builders import new_job
from tests.store.flows import after, states
from tests.store.postgres.database import Database
from tests.store.postgres.open_stores import Opening
from tests.store.stores import Store
from tests.waiting import PATIENCE, eventually
from windlass.core.records import Claimed
from windlass.store.operations import jobs
from windlass.store.operations.enqueue import enqueue
from windlass.store.operations.flows.groups import NewGroup, NewMember, members

HELD_UP = """
CREATE FUNCTION held_up() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(7);
    RETURN NEW;
END
$$;
CREATE TRIGGER held_up BEFORE UPDATE ON windlass.edge
FOR EACH ROW WHEN (NEW.watched <> OLD.watched) EXECUTE FUNCTION held_up();
"""
"""Stops whoever moves the watch of a callback on, while the test has the lock 7."""
WAITS = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"


@pytest.fixture
def running(store: Store) -> dict[str, Claimed]:
    """The members of a group, all of them claimed."""
    rows = [NewMember("z", place, id, None) for place, id in enumerate("abc")]
    given = [*(new_job(id) for id in "abc"), after(new_job("z"))]
    store.run(enqueue(given, {}, groups=[NewGroup("z", "cancel")], members=rows))
    return {job.id: job for job in store.a_worker().take(9)}


@pytest.fixture
def store(opened: Opening) -> Store:
    return opened()


def test_a_member_that_ends_while_the_callback_goes_on_to_it(
    store: Store, database: Database, running: dict[str, Claimed]
) -> None:
    """B35: others follow it."""
    database.run(HELD_UP)
    with psycopg.connect(database.url, autocommit=True) as connection:
        connection.execute("SELECT pg_advisory_lock(7)")
        first = Thread(target=store.another().end, args=(running["a"],))
        first.start()
        eventually(lambda: _one(connection, WAITS) == 1, "the ending of a is about to watch b")
        store.end(running["b"])
        connection.execute("SELECT pg_advisory_unlock(7)")
        first.join(PATIENCE)
    assert states(store, "abz") == "ccb"
    store.run(jobs.promote())
    assert states(store, "z") == "b"
    store.end(running["c"])
    store.run(jobs.promote())
    assert states(store, "z") == "p"


def test_members_that_end_at_the_same_time_are_found_by_promote(
    store: Store, database: Database, running: dict[str, Claimed]
) -> None:
    """B35: neither ending waits for the other."""
    store.end(running["a"])
    with psycopg.connect(database.url) as connection:
        # another process has the callback in hand
        connection.execute("SELECT 1 FROM windlass.blocked FOR UPDATE")
        for id in "bc":
            store.end(running[id])
        assert states(store, "z") == "b"
    store.run(jobs.promote())
    assert states(store, "z") == "p"
    assert len(store.run(members(store.job("z").seq))) == 3


def _one(connection: psycopg.Connection[Any], query: str) -> Any:
    row = connection.execute(query).fetchone()
    assert row is not None
    return row[0]
