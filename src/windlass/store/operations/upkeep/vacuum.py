"""Vacuums the tables through which every job passes (PostgreSQL)."""

from __future__ import annotations

from msgspec import Struct

from windlass.store.answers import records
from windlass.store.operation import Call, Lane, Operation

_MANY = 10_000
"""Rows; transactions that are over in a moment keep far fewer from being removed."""


class VacuumBlocker(Struct, frozen=True, array_like=True):
    """A transaction that keeps what jobs have left behind from being removed."""

    holder: str
    """Who has it open, for people."""
    transaction: str
    """Its number."""
    since: int | None
    """When it began, in milliseconds since 1970; None where we may not know."""


class Vacuumed(Struct, frozen=True):
    """What one round found."""

    tables: list[str]
    """Those that needed it."""
    vacuum_blocker: VacuumBlocker | None = None
    """Why much of it is still there."""


def vacuum() -> Operation[Vacuumed]:
    """Make room of what jobs have left behind on their way."""
    tables = [table for table, dead in (yield from _bloated_tables()).items() if dead]
    for table in tables:
        yield Call(f"vacuum_{table}")
    left = (yield from _bloated_tables()) if tables else {}
    if max(left.values(), default=0) < _MANY:
        return Vacuumed(tables)
    return Vacuumed(tables, (yield from vacuum_blocker()))


def vacuum_blocker() -> Operation[VacuumBlocker | None]:
    """The oldest transaction that keeps anything from being removed; asked only of stores that can swell."""
    answer = yield Call("vacuum_blocker", {}, Lane.READ)
    return next(iter(records(answer["vacuum_blocker"], VacuumBlocker)), None)


def _bloated_tables() -> Operation[dict[str, int]]:
    """The tables that have grown, with how many of their rows are dead."""
    answer = yield Call("bloated_tables", {}, Lane.READ)
    return {str(table): dead for table, _, dead in answer["bloated_tables"]}
