"""Prepared statements: on by default; without them nothing is kept on a server connection between two calls."""

from __future__ import annotations

import logging

import pytest

from tests.store.builders import RETURNED, ending, new_job
from tests.store.postgres.database import Database
from tests.store.postgres.open_stores import Opening, on_its_connection
from tests.store.stores import Store
from windlass.store.operation import Lane
from windlass.store.postgres.connection import TimedConnection

_TWICE = b"SELECT statement FROM pg_prepared_statements GROUP BY statement HAVING count(*) > 1"


def prepared(store: Store, lane: Lane) -> dict[str, tuple[int, int]]:
    """How often each statement of a connection ran with a plan for all values, and with one for its own values."""
    return {
        statement: (generic, custom)
        for statement, generic, custom in on_its_connection(
            store, lane, b"SELECT statement, generic_plans, custom_plans FROM pg_prepared_statements"
        )
        if "pg_prepared_statements" not in statement
    }


def use(store: Store, *, times: int) -> None:
    """What a worker and its producers do all day."""
    worker = store.a_worker()
    for _ in range(times):
        store.enqueue(*(new_job() for _ in range(5)))
        taken = worker.take(5)
        assert len(taken) == 5
        assert worker.cycle(endings=[ending(job, RETURNED) for job in taken], requests=[("default", 5)]).refused == ()
        assert worker.renew().is_open
        assert store.job(taken[0].id).state == "completed"


def test_hot_calls_are_planned_once(opened: Opening) -> None:
    store = opened()
    use(store, times=20)
    for lane, statements in ((Lane.WRITE, 3), (Lane.HEARTBEAT, 1)):
        often = {text: plans for text, plans in prepared(store, lane).items() if sum(plans) >= 20}
        assert len(often) >= statements
        assert all(custom == 0 for _, custom in often.values())


def test_a_call_is_one_statement_whatever_its_values_are(opened: Opening) -> None:
    """Null, small and large numbers must not be prepared apart."""
    store = opened()
    for delay in (0, 1, 40_000, 5_000_000_000):
        store.enqueue(new_job(delay=delay, timeout=None if delay else 7))
    store.a_worker(ttl=100)
    store.a_worker(ttl=100_000)
    store.a_worker(ttl=10_000_000_000)
    for lane in (Lane.WRITE, Lane.HEARTBEAT):
        assert on_its_connection(store, lane, _TWICE) == []
        assert prepared(store, lane)


def test_nothing_is_prepared_when_the_url_says_so(database: Database, opened: Opening) -> None:
    store = opened(database.with_options("prepare=off"))
    use(store, times=3)
    assert prepared(store, Lane.WRITE) == prepared(store, Lane.HEARTBEAT) == {}


def test_without_preparing_no_call_needs_what_another_left_behind(
    database: Database, opened: Opening, monkeypatch: pytest.MonkeyPatch
) -> None:
    """G7: a pooler gives every transaction another server connection. Here each statement gets one that is like new."""
    plain = TimedConnection.execute

    def on_a_new_session(self: TimedConnection, *args: object, **options: object) -> object:
        if self.info.transaction_status.name == "IDLE":
            plain(self, b"DISCARD ALL", prepare=False)
        return plain(self, *args, **options)  # type: ignore[call-overload]  # handed on as it came

    monkeypatch.setattr(TimedConnection, "execute", on_a_new_session)
    store = opened(database.with_options("prepare=off"))
    use(store, times=10)
    assert store.count() == 50


def test_a_pooler_that_loses_prepared_statements_is_found_out(
    opened: Opening, caplog: pytest.LogCaptureFixture
) -> None:
    """G7: the call goes through, one line tells, and from then on nothing is prepared."""
    store = opened()
    store.enqueue(new_job())
    on_its_connection(store, Lane.WRITE, b"DO $$ BEGIN EXECUTE 'DEALLOCATE ALL'; END $$")
    with caplog.at_level(logging.WARNING, logger="windlass"):
        store.enqueue(new_job())
        use(store, times=3)
    assert len(caplog.records) == 1
    assert "?prepare=off" in caplog.text
    assert prepared(store, Lane.WRITE) == {}


def test_two_connections_never_give_a_statement_the_same_name(opened: Opening) -> None:
    """G7: behind a pooler one would run the other's statement."""
    named = b"SELECT name FROM pg_prepared_statements"
    names = []
    for _ in range(2):
        store = opened()
        store.enqueue(new_job())
        names.append(set(on_its_connection(store, Lane.WRITE, named)))
    assert names[0]
    assert names[1]
    assert not names[0] & names[1]


def test_a_plan_that_a_migration_has_made_useless_is_made_anew(database: Database, opened: Opening) -> None:
    """Workers go on while columns change. The server says so once; the connection would fail for ever."""
    store = opened()
    store.count()
    before = database.backends()
    database.fail_inserts("0A000", times=1, message="cached plan must not change result type")
    store.enqueue(new_job())
    assert store.count() == 1
    assert not set(before) & set(database.backends())
