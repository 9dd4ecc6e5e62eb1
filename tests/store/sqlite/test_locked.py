"""A file that another keeps locked: calls wait, give up at their deadline, and work again afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from threading import Event
from time import monotonic

import pytest

from tests.leeway import leeway
from tests.places.place import SqlitePlace
from tests.store.builders import TTL, new_job
from tests.store.processes import Process, running
from tests.store.stores import open_store
from tests.waiting import PATIENCE
from windlass.errors import StoreUnavailable
from windlass.store.operations.leases import WorkerReport, open_lease


@contextmanager
def locked(place: SqlitePlace, mode: str = "IMMEDIATE") -> Iterator[None]:
    with closing(place.connect()) as connection:
        connection.execute(f"BEGIN {mode}")
        yield
        connection.execute("ROLLBACK")


def test_a_call_gives_up_at_its_deadline(place: SqlitePlace) -> None:
    """A15: StoreUnavailable after the deadline, and works after (Q1)."""
    with open_store(place, deadline=0.2) as store:
        store.enqueue(new_job())
        with locked(place):
            began = monotonic()
            with pytest.raises(StoreUnavailable, match=r"locked for 0.2 s"):
                store.enqueue(new_job())
            assert 0.2 <= monotonic() - began < leeway(2)
        store.enqueue(new_job())
        assert store.count() == 2


def test_a_heartbeat_gives_up_at_its_deadline(place: SqlitePlace) -> None:
    with open_store(place, deadline=0.2) as store:
        store.count()
        beat = open_lease(WorkerReport("w", "w", "idle", "{}"), lease="l", ttl=TTL)
        with locked(place), pytest.raises(StoreUnavailable, match="locked"):
            store.run(beat)


def test_reading_goes_on(place: SqlitePlace) -> None:
    """Readers wait for nobody."""
    with open_store(place, deadline=0.2) as store:
        store.enqueue(new_job())
        with locked(place):
            assert store.count() == 1


def test_a_lock_that_is_given_up_in_time_is_no_error(place: SqlitePlace) -> None:
    """A15: no lock error reaches the user."""
    with open_store(place) as store, ThreadPoolExecutor(1) as pool:
        store.enqueue(new_job())
        with locked(place):
            under_way = Event()

            def enqueue() -> None:
                under_way.set()
                store.enqueue(new_job())

            waiting = pool.submit(enqueue)
            assert under_way.wait(PATIENCE)
            assert not waiting.done()
        waiting.result(10)
        assert store.count() == 2


# Locks of another process.


@contextmanager
def locked_elsewhere(place: SqlitePlace, how: str) -> Iterator[Process]:
    with running("tests.store.sqlite.locking_process", str(place.path), how) as holder:
        assert holder.line() == "locked"
        yield holder


def test_another_process_may_hold_the_lock(place: SqlitePlace) -> None:
    """Locked by another writer, which is then killed (Q1)."""
    with open_store(place, deadline=0.2) as store:
        store.enqueue(new_job())
        with locked_elsewhere(place, "writing") as holder:
            with pytest.raises(StoreUnavailable, match="locked"):
                store.enqueue(new_job())
            holder.kill()
        store.enqueue(new_job())
        assert store.count() == 2


def test_who_opens_a_file_to_read_waits_for_no_writer(place: SqlitePlace) -> None:
    """Its schema is there already, so there is nothing to write."""
    with open_store(place) as store:
        store.enqueue(new_job())
    with locked_elsewhere(place, "writing"), open_store(place, deadline=0.2) as store:
        assert store.count() == 1


def test_a_new_file_that_is_locked_may_be_opened_later(place: SqlitePlace) -> None:
    """Works again without a restart (I8)."""
    with open_store(place, deadline=0.2) as store:
        with locked_elsewhere(place, "new"), pytest.raises(StoreUnavailable, match="locked"):
            store.count()
        store.enqueue(new_job())
        assert store.count() == 1


def test_a_file_that_somebody_has_alone_may_be_opened_later(place: SqlitePlace) -> None:
    with open_store(place) as store:
        store.enqueue(new_job())
    with locked_elsewhere(place, "alone") as holder, open_store(place, deadline=0.2) as store:
        with pytest.raises(StoreUnavailable, match=r"locked for 0.2 s"):
            store.count()
        holder.end()
        assert store.count() == 1


def test_a_call_waits_for_one_who_has_the_file_alone(place: SqlitePlace) -> None:
    """A15: a lock that is given up in time is no error, not even at the first use."""
    with open_store(place) as store:
        store.enqueue(new_job())
    with locked_elsewhere(place, "alone") as holder, open_store(place) as store, ThreadPoolExecutor(1) as pool:
        counting = pool.submit(store.count)
        assert not counting.done()
        holder.end()
        assert counting.result(10) == 1


def test_a_reader_waits_for_the_repair_of_the_logs_index(place: SqlitePlace) -> None:
    """A15: after a crash somebody repairs the index, and even readers have to wait, which is no error."""
    with open_store(place) as store, ThreadPoolExecutor(1) as pool:
        store.enqueue(new_job())
        assert store.count() == 1
        with locked_elsewhere(place, "repairing") as holder:
            counting = pool.submit(store.count)
            with pytest.raises(TimeoutError):
                counting.result(0.1)
            holder.end()
            assert counting.result(10) == 1
        store.enqueue(new_job())
        assert store.count() == 2


def test_a_reader_gives_up_at_its_deadline(place: SqlitePlace) -> None:
    with open_store(place, deadline=0.2) as store:
        store.enqueue(new_job())
        assert store.count() == 1
        with locked_elsewhere(place, "repairing"), pytest.raises(StoreUnavailable, match=r"locked for 0.2 s"):
            store.count()
        assert store.count() == 1
