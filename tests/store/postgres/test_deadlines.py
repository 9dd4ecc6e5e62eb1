"""Every call ends at its deadline, whatever the server does."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

import pytest

from tests.leeway import leeway
from tests.store.builders import new_job
from tests.store.postgres.database import Database
from tests.store.postgres.open_stores import Opening, threads
from tests.store.stores import Store
from tests.waiting import eventually
from windlass.errors import OutcomeUnknown, StoreUnavailable
from windlass.store.driver import Topic

DEADLINE = 1.5
LARGE = 64_000_000
"""More bytes than fit between us and a server that does not read."""
LATE = 3.0
"""How much later than its deadline a call may end here; we promise one second, on a machine that has time for us."""


@contextmanager
def in_time() -> Iterator[None]:
    started = monotonic()
    yield
    assert DEADLINE * 0.9 < monotonic() - started < leeway(DEADLINE + LATE)


@contextmanager
def stopped(backends: list[int]) -> Iterator[None]:
    """Processes of the server that swallow everything, as a network can."""
    for pid in backends:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in backends:
            os.kill(pid, signal.SIGCONT)


def hasty(database: Database, opened: Opening, *, options: str = "") -> Store:
    """A store whose calls have little time; its schema, which takes longer on a busy machine, is there already."""
    first = opened()
    first.count()
    first.driver.close()
    eventually(lambda: not database.backends())
    return opened(f"{database.url}{options}", deadline=DEADLINE)


def test_a_read_that_waits_for_a_lock_ends_in_time(database: Database, opened: Opening) -> None:
    """S4."""
    store = hasty(database, opened)
    store.enqueue(new_job())
    with database.locked(), in_time(), pytest.raises(StoreUnavailable, match="another transaction holds"):
        store.count()
    assert store.count() == 1


def test_a_write_that_the_server_called_off_did_not_happen(database: Database, opened: Opening) -> None:
    """S4: the server confirms that it dropped the statement, so its outcome is known, and nobody waits any more."""
    store = hasty(database, opened)
    store.enqueue(new_job())
    with database.locked():
        with in_time(), pytest.raises(StoreUnavailable) as caught:
            store.enqueue(new_job())
        assert not isinstance(caught.value, OutcomeUnknown)
        assert database.waiting() == []
    assert store.count() == 1


def test_of_a_write_to_a_server_that_fell_silent_nobody_knows(database: Database, opened: Opening) -> None:
    """S4: the connection is given up, never used again."""
    store = hasty(database, opened)
    store.enqueue(new_job("before"))
    silent = database.backends()
    with stopped(silent):
        with in_time(), pytest.raises(OutcomeUnknown, match="did not answer in time"):
            store.enqueue(new_job("unknown"))
        store.enqueue(new_job("after"))
        assert store.exists("before")
        assert store.exists("after")
    eventually(lambda: not set(silent) & set(database.backends()))


@pytest.mark.parametrize("options", ["", f"?tcp_user_timeout={round(DEADLINE * 1000)}"], ids=["we", "TCP"])
def test_a_write_that_a_silent_server_did_not_take_did_not_happen(
    database: Database, opened: Opening, options: str
) -> None:
    """S4: a statement is carried out at its end, and the server has not seen that, whoever gives up first."""
    store = hasty(database, opened, options=options)
    store.enqueue(new_job())
    silent = database.backends()
    with stopped(silent):
        with in_time(), pytest.raises(StoreUnavailable, match="did not take the statement in time") as caught:
            store.enqueue(new_job("large", payload="x" * LARGE))
        assert not isinstance(caught.value, OutcomeUnknown)
        store.enqueue(new_job("after"))
    eventually(lambda: not set(silent) & set(database.backends()))
    assert not store.exists("large")
    assert store.exists("after")


def test_a_read_from_a_server_that_fell_silent_ends_in_time(database: Database, opened: Opening) -> None:
    """S4."""
    store = hasty(database, opened)
    store.enqueue(new_job())
    with stopped(database.backends()):
        with in_time(), pytest.raises(StoreUnavailable) as caught:
            store.count()
        assert not isinstance(caught.value, OutcomeUnknown)
        assert store.count() == 1


def test_a_heartbeat_ends_in_time_too(database: Database, opened: Opening) -> None:
    store = hasty(database, opened)
    worker = store.a_worker()
    with stopped(database.backends()), in_time(), pytest.raises(OutcomeUnknown):
        worker.renew()
    assert worker.renew().is_open


def test_telling_others_holds_nobody_up(database: Database, opened: Opening) -> None:
    """G5: news is never worth waiting for."""
    store = opened()
    store.enqueue(new_job())
    with stopped(database.backends()):
        started = monotonic()
        store.driver.notify(Topic.WORK)
        assert monotonic() - started < leeway(1 + LATE)


def test_a_migration_may_take_longer_than_a_call(database: Database, opened: Opening) -> None:
    """Whoever migrates waits for the lock, and for the work."""
    opened().enqueue(new_job())
    store = opened(deadline=DEADLINE)
    with threads() as submit, database.connected() as other:
        other.execute("BEGIN")
        other.execute("SELECT pg_advisory_xact_lock(hashtextextended('windlass windlass', 0))")
        migrated = submit(store.driver.migrate)
        eventually(lambda: bool(database.waiting()))
        started = monotonic()
        eventually(lambda: monotonic() - started > DEADLINE * 1.5)
        assert not migrated.done()
        other.execute("COMMIT")
        assert migrated.result() == []
