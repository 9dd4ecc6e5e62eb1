"""Steps that no release has, to make a store newer than the one under test."""

from __future__ import annotations

from tests.store.postgres.database import Database
from windlass.store.postgres.schema import Step, all_steps

NEWEST = all_steps()[-1]
ALL = [step.name for step in all_steps()]


def newer(by: int = 1) -> Step:
    """A step of a release after this one."""
    return Step(NEWEST.number + by, f"{NEWEST.number + by:03}-new.sql", "SELECT 1;")


def note(database: Database, step: Step, *, compatible_from: int) -> None:
    """Say that a newer release has taken a step."""
    database.run(
        "INSERT INTO windlass.schema VALUES (%s, %s, %s, %s, 0)",
        step.number,
        step.name,
        step.checksum,
        compatible_from,
    )


def outdate(database: Database) -> None:
    """Leave this release behind."""
    note(database, newer(), compatible_from=newer().number)
