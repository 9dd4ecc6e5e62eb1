"""The connections of one process: few, made when needed, replaced when they die."""

from __future__ import annotations

import gc
import socket
from contextlib import closing
from time import monotonic

import psycopg
import pytest

from tests.leeway import leeway
from tests.store.builders import new_job
from tests.store.postgres.database import Database
from tests.store.postgres.open_stores import Opening, on_its_connection, threads
from tests.waiting import eventually
from windlass.errors import AppClosed, StoreUnavailable
from windlass.store.driver import Topic
from windlass.store.open import open_driver
from windlass.store.operation import Lane, drive
from windlass.store.operations import queries
from windlass.store.postgres.driver import PostgresDriver


def test_a_driver_connects_to_nothing_before_it_is_asked(database: Database, opened: Opening) -> None:
    opened()
    assert database.backends() == []


def test_one_thread_needs_one_connection(database: Database, opened: Opening) -> None:
    store = opened()
    for _ in range(20):
        store.enqueue(new_job())
        store.count()
    assert len(database.backends()) == 1


@pytest.mark.parametrize(("options", "most"), [("pool=3", 3), ("pool=1", 1), ("pool=6", 6)])
def test_many_threads_share_the_connections_that_they_may_have(
    database: Database, opened: Opening, options: str, most: int
) -> None:
    """B26."""
    store = opened(database.with_options(options))
    store.enqueue(new_job())
    with threads(10) as submit:
        with database.locked():
            counted = [submit(store.count) for _ in range(10)]
            eventually(lambda: len(database.waiting()) == most)
            assert len(database.backends()) == most
        assert [each.result() for each in counted] == [1] * 10
    assert len(database.backends()) == most


def test_a_worker_that_does_everything_at_once_has_five_connections(database: Database, opened: Opening) -> None:
    """B26."""
    store = opened()
    worker = store.a_worker()
    with closing(store.driver.listen(lambda topic: None)), threads(10) as submit:
        eventually(lambda: any("LISTEN" in query for (query,) in database.run("SELECT query FROM pg_stat_activity")))
        with database.locked():
            asked = [submit(store.count) for _ in range(8)] + [submit(worker.renew) for _ in range(2)]
            eventually(lambda: len(database.waiting()) == 4)
        for each in asked:
            each.result()
        store.driver.notify(Topic.WORK)
        assert len(database.backends()) == 5


def test_connections_that_are_needed_no_more_are_closed(database: Database, opened: Opening) -> None:
    """S6: 64 idle workers held 315; one that does one thing at a time needs one for calls, beside two others."""
    store = opened()
    store.enqueue(new_job())
    with threads(3) as submit:
        with database.locked():
            counted = [submit(store.count) for _ in range(3)]
            eventually(lambda: len(database.waiting()) == 3)
        for each in counted:
            each.result()
    assert len(database.backends()) == 3
    driver = store.driver
    assert isinstance(driver, PostgresDriver)
    for connection in driver._pool.calls.idle:
        connection.used -= 11
    for _ in range(3):
        store.count()
    eventually(lambda: len(database.backends()) == 1)


def test_a_heartbeat_waits_for_no_other_call(database: Database, opened: Opening) -> None:
    """S6: all connections for calls are taken, one of them by a statement that waits."""
    store = opened(database.with_options("pool=1"))
    worker = store.a_worker()
    database.at_every_insert("PERFORM pg_advisory_xact_lock(1);")
    with threads() as submit, database.connected() as holder:
        holder.execute("SELECT pg_advisory_lock(1)")
        stuck = submit(store.enqueue, new_job())
        eventually(lambda: bool(database.waiting()))
        assert worker.renew().is_open
        assert worker.control().is_open, "what it asks does not wait either"
        holder.execute("SELECT pg_advisory_unlock(1)")
        stuck.result()


def test_who_finds_no_free_connection_learns_what_to_set(database: Database, opened: Opening) -> None:
    """S6."""
    opened().count()  # makes the tables, which takes longer on a busy machine
    store = opened(database.with_options("pool=1"), deadline=2.0)
    store.count()

    def find_none(connection: object) -> None:
        with pytest.raises(StoreUnavailable, match=r"of 1 that calls may use; add \?pool=2"):
            store.count()

    driver = store.driver
    assert isinstance(driver, PostgresDriver)
    driver._pool.use(Lane.READ, find_none, until=monotonic() + 60)
    assert store.count() == 0


def test_connections_that_died_at_rest_cost_no_call(database: Database, opened: Opening) -> None:
    """S1, G3: the server is back before anybody calls."""
    store = opened()
    worker = store.a_worker()
    with threads(3) as submit:
        with database.locked():
            counted = [submit(store.count) for _ in range(3)]
            eventually(lambda: len(database.waiting()) == 3)
        for each in counted:
            each.result()
    before = set(database.backends())
    assert len(before) == 4
    database.end_backends()
    store.enqueue(new_job())
    assert worker.renew().is_open
    assert store.count() == 1
    assert not before & set(database.backends())


def test_one_dead_connection_means_that_the_others_are_not_trusted(database: Database, opened: Opening) -> None:
    """Whatever ended one may have left the others half open, which no look can find out."""
    store = opened()
    store.enqueue(new_job())
    with threads(3) as submit:
        with database.locked():
            counted = [submit(store.count) for _ in range(3)]
            eventually(lambda: len(database.waiting()) == 3)
        for each in counted:
            each.result()
    before = set(database.backends())
    [(next_in_use,)] = on_its_connection(store, Lane.READ, b"SELECT pg_backend_pid()")
    database.run("SELECT pg_terminate_backend(%s)", next_in_use)
    eventually(lambda: next_in_use not in database.backends())
    assert store.count() == 1
    eventually(lambda: not before & set(database.backends()))


def test_a_closed_driver_leaves_no_connection_and_takes_no_call(database: Database, opened: Opening) -> None:
    """A6."""
    store = opened()
    store.a_worker()
    store.enqueue(new_job())
    news = store.driver.listen(lambda topic: None)
    news.close()
    store.driver.close()
    eventually(lambda: not database.backends())
    with pytest.raises(AppClosed):
        store.count()
    with pytest.raises(AppClosed):
        store.driver.listen(lambda topic: None)


def test_a_driver_that_nobody_closed_goes_without_a_word(database: Database) -> None:
    """Warnings are errors here, also while an object is freed."""
    driver = open_driver(database.url)
    driver.make()
    drive(queries.counts(), driver.execute)
    del driver
    gc.collect()
    eventually(lambda: not database.backends())


def test_a_connection_that_is_in_use_is_closed_after_its_call(database: Database, opened: Opening) -> None:
    store = opened()
    store.enqueue(new_job())
    with threads() as submit:
        with database.locked():
            counted = submit(store.count)
            eventually(lambda: bool(database.waiting()))
            store.driver.close()
        assert counted.result() == 1
    eventually(lambda: not database.backends())


def test_an_address_where_nobody_answers_costs_the_deadline_once(opened: Opening) -> None:
    """S4: packets are swallowed. The first call waits, the next ones fail at once."""
    with socket.socket() as hole:
        hole.bind(("127.0.0.1", 0))
        hole.listen(8)  # the kernel takes connections, nobody reads from them
        store = opened(f"postgresql://me@127.0.0.1:{hole.getsockname()[1]}/app", deadline=2)
        started = monotonic()
        with pytest.raises(StoreUnavailable, match="did not answer in time"):
            store.count()
        first = monotonic() - started
        assert 1.9 < first < 6
        started = monotonic()
        with pytest.raises(StoreUnavailable, match="out of reach"):
            store.count()
        assert monotonic() - started < leeway(1.5)


def test_a_host_that_swallows_packets_does_not_hide_one_that_answers(database: Database, opened: Opening) -> None:
    """G1: several hosts in the URL."""
    with socket.socket() as hole:
        hole.bind(("127.0.0.1", 0))
        hole.listen(8)
        port = hole.getsockname()[1]
        both = database.url.replace("@", f"@127.0.0.1:{port},")
        store = opened(both, deadline=4)
        assert store.count() == 0


def test_the_host_that_takes_writes_is_found(database: Database, opened: Opening) -> None:
    """G1: ``target_session_attrs`` works as with libpq."""
    store = opened(database.with_options("target_session_attrs=read-write"))
    store.enqueue(new_job())
    store.driver.close()
    database.run(f"ALTER DATABASE {database.name} SET default_transaction_read_only = on")
    other = opened(database.with_options("target_session_attrs=read-write"), deadline=1)
    with pytest.raises(StoreUnavailable, match="read-only"):
        other.count()


def test_a_unix_socket_is_an_address_too(database: Database, opened: Opening) -> None:
    [(folders, port)] = database.run("SELECT current_setting('unix_socket_directories'), current_setting('port')")
    folder = folders.split(",")[0].strip()
    store = opened(f"postgresql:///{database.name}?host={folder}&port={port}&user=postgres")
    store.enqueue(new_job())
    assert store.count() == 1


def test_a_server_without_room_is_waited_for(database: Database, opened: Opening) -> None:
    """53300: others leave again."""
    with database.role("narrow", "CONNECTION LIMIT 1") as url:
        crowded = opened(url, deadline=1)
        with psycopg.connect(url), pytest.raises(StoreUnavailable, match="too many connections"):
            crowded.count()
        eventually(lambda: not database.run("SELECT 1 FROM pg_stat_activity WHERE usename = 'narrow'"))
        patient = opened(url)
        with threads() as submit:
            with psycopg.connect(url):
                counted = submit(patient.count)
                assert not counted.done()
            assert counted.result() == 0
