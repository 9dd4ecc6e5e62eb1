"""``windlass migrate``."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cli.program import Program
from tests.store.postgres.database import Database, new_database
from tests.store.postgres.steps import ALL, outdate
from windlass import Windlass


@pytest.fixture
def database(postgres_dsn: str) -> Iterator[Database]:
    """An empty PostgreSQL database."""
    with new_database(postgres_dsn) as database:
        yield database


def is_empty(database: Database) -> bool:
    return database.run("SELECT 1 FROM pg_namespace WHERE nspname = 'windlass'") == []


def test_migrate_tells_the_steps_it_took(windlass: Program) -> None:
    first = windlass.json("migrate", "--url", "sqlite:///new.db")
    assert first["store"] == str(windlass.folder / "new.db")
    assert first["steps"]
    assert windlass("migrate", "--url", "sqlite:///new.db").out == f"{windlass.folder / 'new.db'}: is up to date\n"


def test_migrate_makes_a_store_on_postgresql(windlass: Program, database: Database) -> None:
    first = windlass.json("migrate", "--url", database.url)
    assert first == {"store": database.url, "steps": ALL}
    assert windlass("migrate", "--url", database.url).out == f"{database.url}: is up to date\n"


def test_migrate_has_nothing_to_do_on_redis(windlass: Program, redis_url: str) -> None:
    assert windlass.json("migrate", "--url", redis_url)["steps"] == []
    assert windlass("migrate", "--sql", "--url", redis_url).out.startswith("-- redis://")


def test_sql_is_printed_and_nothing_changed(windlass: Program, database: Database) -> None:
    answer = windlass("migrate", "--sql", "--url", database.url)
    assert answer.code == 0
    assert is_empty(database)
    database.run(answer.out)
    assert windlass("migrate", "--sql", "--url", database.url).out == f"-- {database.url}: is up to date\n"
    with Windlass(database.url) as app:
        assert app.migrate() == []
        app.enqueue("greet")


def test_sql_comes_as_json_too(windlass: Program, database: Database) -> None:
    printed = windlass.json("migrate", "--sql", "--url", database.url)
    assert printed["store"] == database.url
    database.run(printed["sql"])
    assert windlass.json("migrate", "--sql", "--url", database.url) == {"store": database.url, "sql": ""}


def test_sqlite_needs_no_sql(windlass: Program) -> None:
    assert windlass("migrate", "--sql").out == f"-- {windlass.folder / 'windlass.db'}: is up to date\n"


def test_a_store_that_a_newer_release_has_changed_is_wrong_use(windlass: Program, database: Database) -> None:
    """S8: exit code 2."""
    assert windlass("migrate", "--url", database.url).code == 0
    outdate(database)
    for command in (["migrate"], ["migrate", "--sql"], ["status"]):
        assert windlass(*command, "--url", database.url).is_error(2, "upgrade windlass")


def test_a_database_that_is_not_there_is_wrong_use(windlass: Program, database: Database) -> None:
    """S8."""
    assert windlass("migrate", "--url", database.under("missing")).is_error(2, '"missing" does not exist')
