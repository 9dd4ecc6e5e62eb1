"""Making, checking and upgrading the schema of a store."""

from __future__ import annotations

import pytest

from tests.store.builders import new_job
from tests.store.postgres.database import Database
from tests.store.postgres.open_stores import Opening, threads
from tests.store.postgres.steps import NEWEST, newer, note, outdate
from windlass.errors import ConfigError, StoreUnavailable
from windlass.store.open import open_driver
from windlass.store.postgres.driver import PostgresDriver
from windlass.store.postgres.schema import Step, all_steps, script


def tables(database: Database, schema: str = "windlass") -> list[tuple[object, ...]]:
    """Every table, column, default and index: what a schema is made of."""
    columns = database.run(
        "SELECT table_name, column_name, data_type, is_nullable, column_default, collation_name, is_identity"
        " FROM information_schema.columns WHERE table_schema = %s ORDER BY 1, 2",
        schema,
    )
    indexes = database.run("SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = %s ORDER BY 1, 2", schema)
    return columns + indexes


def test_an_empty_database_becomes_a_store_at_first_use(database: Database, opened: Opening) -> None:
    assert opened().count() == 0
    noted = database.run("SELECT version, name, checksum, compatible_from FROM windlass.schema ORDER BY version")
    assert noted == [(step.number, step.name, step.checksum, step.compatible_from) for step in all_steps()]


def test_of_many_at_once_one_makes_the_store(opened: Opening) -> None:
    with threads(8) as submit:
        counted = [submit(opened().count) for _ in range(8)]
        assert [each.result() for each in counted] == [0] * 8


def test_migrate_names_the_steps_it_took(opened: Opening) -> None:
    driver = opened().driver
    assert driver.migrate() == [step.name for step in all_steps()]
    assert driver.migrate() == []


def test_two_schemas_of_one_database_are_two_stores(database: Database) -> None:
    """S11."""
    for namespace in ("one", "two"):
        driver = open_driver(database.url, namespace=namespace)
        assert driver.migrate()
        driver.close()
    assert len(tables(database, "one")) == len(tables(database, "two")) > 20


def test_a_schema_that_was_made_beforehand_needs_no_right_to_make_one(database: Database, opened: Opening) -> None:
    with database.role("clerk") as url:
        database.run(f"REVOKE CREATE ON DATABASE {database.name} FROM clerk")
        database.run("CREATE SCHEMA windlass AUTHORIZATION clerk")
        store = opened(url)
        store.enqueue(new_job())
        assert store.count() == 1


def test_who_may_not_make_a_schema_learns_that(database: Database, opened: Opening) -> None:
    with database.role("clerk") as url:
        database.run(f"REVOKE CREATE ON DATABASE {database.name} FROM clerk")
        with pytest.raises(StoreUnavailable, match="this user may not do that"):
            opened(url).count()


def test_an_older_store_asks_for_migrate(opened: Opening, monkeypatch: pytest.MonkeyPatch) -> None:
    """S8: nobody changes a schema that others work with unasked."""
    before = opened()
    before.enqueue(new_job())
    more = Step(NEWEST.number + 1, "more.sql", "-- compatible from 1\nALTER TABLE windlass_job ADD more text;")
    release = (*all_steps(), more)
    monkeypatch.setattr("windlass.store.postgres.schema.all_steps", lambda: release)
    with pytest.raises(ConfigError, match=f"is version {NEWEST.number}.*needs {more.number}; run `windlass migrate`"):
        opened().count()
    assert opened().driver.migrate() == ["more.sql"]
    assert opened().count() == 1
    monkeypatch.undo()
    before.enqueue(new_job())
    assert opened().count() == 2  # the release before goes on, also with processes that start now


def test_a_newer_store_is_refused(database: Database, opened: Opening) -> None:
    """S8."""
    opened().enqueue(new_job())
    outdate(database)
    with pytest.raises(ConfigError, match=f"is version {newer().number}.*knows {NEWEST.number}; upgrade windlass"):
        opened().count()
    with pytest.raises(ConfigError, match="upgrade windlass"):
        opened().driver.migrate()


def test_a_newer_store_that_says_so_is_used_further(database: Database, opened: Opening) -> None:
    """S11: workers of the previous version go on while the new one comes in."""
    opened().enqueue(new_job())
    note(database, newer(), compatible_from=NEWEST.number)
    store = opened()
    store.enqueue(new_job())
    assert store.count() == 2
    assert store.driver.migrate() == []


def test_one_incompatible_step_among_newer_ones_is_enough(database: Database, opened: Opening) -> None:
    opened().enqueue(new_job())
    note(database, newer(1), compatible_from=newer(1).number)
    note(database, newer(2), compatible_from=NEWEST.number)
    with pytest.raises(ConfigError, match="upgrade windlass"):
        opened().count()


def test_a_step_with_other_contents_is_named(database: Database, opened: Opening) -> None:
    opened().enqueue(new_job())
    database.run("UPDATE windlass.schema SET checksum = 'other' WHERE version = 1")
    named = all_steps()[0].name
    with pytest.raises(ConfigError, match=f"step {named} was taken with other contents"):
        opened().count()
    with pytest.raises(ConfigError, match=named):
        opened().driver.migrate()


def test_a_step_says_with_which_releases_it_goes_together() -> None:
    assert Step(7, "007-x.sql", "-- Adds a column.\n-- compatible from 5\nSELECT 1").compatible_from == 5
    assert Step(7, "007-x.sql", "SELECT 1").compatible_from == 7


def test_the_printed_sql_makes_the_same_store(database: Database, opened: Opening) -> None:
    """``migrate --sql``: statement by statement, as psql runs it."""
    driver = opened().driver
    assert isinstance(driver, PostgresDriver)
    printed = driver.migration_sql()
    assert database.run("SELECT 1 FROM pg_namespace WHERE nspname = 'windlass'") == []
    database.run(printed)
    by_hand = tables(database)
    assert driver.migration_sql() == ""
    assert driver.migrate() == []
    store = opened()
    store.enqueue(new_job())
    database.run("DROP SCHEMA windlass CASCADE")
    assert driver.migrate()
    assert tables(database) == by_hand


def test_the_printed_sql_is_one_transaction(database: Database) -> None:
    printed = script(all_steps(), "windlass", is_missing=True)
    assert printed.startswith("BEGIN;\n")
    assert printed.endswith("COMMIT;\n")
    assert script((), "windlass", is_missing=False) == ""


def test_the_printed_sql_leaves_a_schema_that_is_there_alone(database: Database, opened: Opening) -> None:
    database.run("CREATE SCHEMA windlass")
    driver = opened().driver
    assert isinstance(driver, PostgresDriver)
    database.run(driver.migration_sql())
    assert opened().count() == 0
