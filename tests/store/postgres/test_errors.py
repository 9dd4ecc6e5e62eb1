"""What the server's errors become: another try, a clear message, or an outcome that nobody knows."""

from __future__ import annotations

import pytest

from tests.store.builders import new_job
from tests.store.postgres.database import Database
from tests.store.postgres.open_stores import Opening, on_its_connection, threads
from tests.waiting import eventually
from windlass.errors import ConfigError, OutcomeUnknown, StoreUnavailable
from windlass.store.driver import DataRejected
from windlass.store.operation import Lane

CLASHES = {"serialisation": "40001", "deadlock": "40P01", "lock not available": "55P03"}


@pytest.mark.parametrize("state", CLASHES.values(), ids=CLASHES)
def test_a_clash_with_others_is_tried_again_unseen(database: Database, opened: Opening, state: str) -> None:
    """G2."""
    store = opened()
    store.count()
    database.fail_inserts(state, times=4)
    store.enqueue(new_job())
    assert store.count() == 1
    assert database.failures() == 5


@pytest.mark.parametrize("state", CLASHES.values(), ids=CLASHES)
def test_after_five_clashes_it_is_enough(database: Database, opened: Opening, state: str) -> None:
    """G2."""
    store = opened()
    store.count()
    database.fail_inserts(state, times=1000)
    with pytest.raises(StoreUnavailable, match="after 5 tries"):
        store.enqueue(new_job())
    assert database.failures() == 5
    assert store.count() == 0


def test_a_real_deadlock_is_survived(database: Database, opened: Opening) -> None:
    """G2: our statement is the one that PostgreSQL takes back, and goes through when the other is done."""
    store = opened(database.with_options("options=-cdeadlock_timeout%3D1s"))
    store.count()
    database.at_every_insert("PERFORM pg_advisory_xact_lock(1); PERFORM pg_advisory_xact_lock(2);")
    with threads() as submit, database.connected() as other:
        other.execute("SET deadlock_timeout = '1min'")  # so that it is not the one who notices
        other.execute("BEGIN")
        other.execute("SELECT pg_advisory_xact_lock(2)")
        stored = submit(store.enqueue, new_job())
        eventually(lambda: bool(database.waiting()))
        other.execute("SELECT pg_advisory_xact_lock(1)")
        other.execute("COMMIT")
        stored.result()
    assert store.count() == 1
    eventually(
        lambda: database.run("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()") == [(1,)]
    )


@pytest.mark.parametrize("level", ["serializable", "repeatable read"])
def test_a_stricter_default_of_the_database_is_not_ours(database: Database, opened: Opening, level: str) -> None:
    """G2: beside others most of our calls would be taken back five times and fail."""
    database.run(f"ALTER DATABASE {database.name} SET default_transaction_isolation = '{level}'")
    store = opened()
    store.enqueue(new_job())
    for lane in Lane:
        assert on_its_connection(store, lane, b"SHOW transaction_isolation") == [("read committed",)]


@pytest.mark.parametrize(
    ("state", "kind", "words"),
    [
        ("53100", StoreUnavailable, "disk is full"),
        ("57014", StoreUnavailable, "took too long"),
        ("42501", StoreUnavailable, "may not do that"),
        ("53200", StoreUnavailable, "trouble"),
        ("22P05", DataRejected, "trouble"),
        ("23514", DataRejected, "trouble"),
        ("54000", DataRejected, "trouble"),
    ],
)
def test_what_another_try_would_not_change_is_said_at_once(
    database: Database, opened: Opening, state: str, kind: type[Exception], words: str
) -> None:
    """G2, G9."""
    store = opened()
    store.count()
    database.fail_inserts(state, times=1000)
    with pytest.raises(kind, match=words) as caught:
        store.enqueue(new_job())
    assert type(caught.value) is kind
    assert database.failures() == 1


def test_of_a_write_whose_connection_broke_nobody_knows(database: Database, opened: Opening) -> None:
    """S3, G3: and only that connection is replaced."""
    store = opened()
    store.count()
    database.at_every_insert("PERFORM pg_terminate_backend(pg_backend_pid());")
    with pytest.raises(OutcomeUnknown, match="may have been carried out"):
        store.enqueue(new_job())
    assert store.count() == 0


def test_a_read_whose_connection_broke_is_tried_again(database: Database, opened: Opening) -> None:
    """S3, G3."""
    store = opened()
    store.enqueue(new_job())
    with threads() as submit:
        with database.locked():
            counted = submit(store.count)
            eventually(lambda: bool(database.waiting()))
            database.end_backends()
        assert counted.result() == 1


def test_a_server_that_takes_no_writes_says_so(database: Database, opened: Opening) -> None:
    """S7, G8: reading goes on."""
    opened().enqueue(new_job())
    database.run(f"ALTER DATABASE {database.name} SET default_transaction_read_only = on")
    store = opened(deadline=0.5)
    assert store.count() == 1
    with pytest.raises(StoreUnavailable, match="takes no writes") as caught:
        store.enqueue(new_job())
    assert not isinstance(caught.value, OutcomeUnknown)


def test_a_server_that_takes_writes_again_is_noticed(database: Database, opened: Opening) -> None:
    """S7, G1: after a failover the same address may lead to another server, so a new connection is tried."""
    store = opened()
    store.enqueue(new_job())
    database.run(f"ALTER DATABASE {database.name} SET default_transaction_read_only = on")
    database.end_backends()
    with threads() as submit:
        stored = submit(store.enqueue, new_job())
        eventually(lambda: bool(database.backends()))
        with database.connected() as other:
            other.execute("SET default_transaction_read_only = off")
            other.execute(f"ALTER DATABASE {database.name} RESET default_transaction_read_only".encode())
        stored.result()
    assert store.count() == 2


def test_a_wrong_password_is_a_matter_of_configuration(database: Database, opened: Opening) -> None:
    """S8: said at once, without another try, and without the password."""
    with database.guarded_role("guarded", password="r1ght"):
        with pytest.raises(ConfigError, match='password authentication failed for user "guarded"') as caught:
            opened(database.as_user("guarded", "wr0ng")).count()
        assert "wr0ng" not in str(caught.value)
        assert opened(database.as_user("guarded", "r1ght")).count() == 0


def test_an_unknown_user_is_a_matter_of_configuration(database: Database, opened: Opening) -> None:
    """S8."""
    with pytest.raises(ConfigError, match='role "nobody_at_all" does not exist'):
        opened(database.as_user("nobody_at_all", "s3cret")).count()


def test_a_missing_database_is_a_matter_of_configuration(database: Database, opened: Opening) -> None:
    """S8."""
    with pytest.raises(ConfigError, match='database "not_there" does not exist'):
        opened(database.under("not_there")).count()


@pytest.mark.parametrize(
    ("variable", "value", "match"),
    [
        ("PGSSLMODE", "perhaps", 'invalid sslmode value: "perhaps"'),
        ("PGPORT", "many", 'invalid integer value "many" for connection option "port"'),
    ],
)
def test_what_libpq_cannot_use_is_a_matter_of_configuration(
    opened: Opening, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, match: str
) -> None:
    """S8: also where it comes from the environment, which the URL does not show."""
    monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigError, match=match):
        opened("postgresql://127.0.0.1/app").count()


def test_a_server_that_refuses_us_later_is_away(database: Database, opened: Opening) -> None:
    """S8: a worker that runs already must wait for the mistake to be put right, not end."""
    with database.role("guest"):
        store = opened(database.as_user("guest", ""))
        store.enqueue(new_job())
        database.run("ALTER ROLE guest NOLOGIN")
        database.end_backends()
        with pytest.raises(StoreUnavailable, match="not permitted to log in"):
            store.count()
        database.run("ALTER ROLE guest LOGIN")
        assert store.count() == 1


def test_tables_that_are_gone_are_missed_in_words(database: Database, opened: Opening) -> None:
    """S8."""
    store = opened()
    store.enqueue(new_job())
    database.run("DROP SCHEMA windlass CASCADE")
    with pytest.raises(StoreUnavailable, match="windlass migrate"):
        store.enqueue(new_job())
    with pytest.raises(StoreUnavailable, match="windlass migrate"):
        store.count()
    assert store.driver.migrate()
    store.enqueue(new_job())


def test_nothing_that_users_store_is_quoted(database: Database, opened: Opening) -> None:
    """The server's details name values; logs must not."""
    store = opened()
    store.count()
    database.run("ALTER TABLE windlass.job ADD CHECK (task <> 'hunter2')")
    with pytest.raises(DataRejected) as caught:
        store.enqueue(new_job(task="hunter2"))
    assert "hunter2" not in str(caught.value)
