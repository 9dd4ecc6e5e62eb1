"""What a user may do who works with tables of somebody else, as the documentation tells administrators to set it up."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import errors

from tests.store.builders import ending, new_job
from tests.store.postgres.database import Database
from tests.store.postgres.open_stores import Opening
from windlass.store.postgres.statements import statements

DOCUMENT = Path(__file__).parents[3] / "docs" / "postgresql.md"
UNPLANNED = {"vacuum_due", "vacuum_ready", "vacuum_running", "vacuum_tally"}
"""Carried out by owners alone."""


def documented_rights() -> list[str]:
    found = re.findall(r"^GRANT .* TO jobs;$", DOCUMENT.read_text(encoding="utf-8"), re.M)
    assert found
    return found


@contextmanager
def worker_without_tables(database: Database, opened: Opening, rights: list[str]) -> Iterator[str]:
    """The URL for a user who has these rights on a store that is there."""
    opened().driver.migrate()
    with database.role("jobs") as url:
        database.run(f"REVOKE CREATE ON DATABASE {database.name} FROM jobs")
        for right in rights:
            database.run(right)
        yield url


def plan_everything(url: str) -> None:
    """Have the server look at every statement of ours, which includes whether this user may carry it out."""
    with psycopg.connect(url, autocommit=True) as connection:
        for call, forms in statements("windlass").items():
            for number, form in enumerate(forms if call not in UNPLANNED else ()):
                _plan(connection, f"{call}_{number}", form.text.decode(), len(form.names))


def _plan(connection: psycopg.Connection[Any], name: str, text: str, parameters: int) -> None:
    nulls = ", ".join(["NULL"] * parameters)
    connection.execute(f"PREPARE {name} AS {text}".encode(), prepare=False)
    connection.execute(f"EXPLAIN EXECUTE {name}{f' ({nulls})' if nulls else ''}".encode(), prepare=False)


def test_a_user_needs_only_the_documented_rights(database: Database, opened: Opening) -> None:
    with worker_without_tables(database, opened, documented_rights()) as url:
        plan_everything(url)
        store = opened(url)
        store.enqueue(new_job(), new_job(delay=1000))
        worker = store.a_worker()
        worker.cycle(endings=[ending(job) for job in worker.take(1)])
        assert store.count() == 2


@pytest.mark.parametrize("number", range(len(documented_rights())))
def test_none_of_them_can_be_left_out(database: Database, opened: Opening, number: int) -> None:
    rights = documented_rights()
    del rights[number]
    with (
        worker_without_tables(database, opened, rights) as url,
        pytest.raises(errors.InsufficientPrivilege),
    ):
        plan_everything(url)
