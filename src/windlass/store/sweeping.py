"""Keeping the tables small through which every job passes, where a store needs that."""

from __future__ import annotations

from msgspec import Struct

from windlass.store.operation import Call, Lane, Operation
from windlass.store.rows import records

_MANY = 10_000
"""Rows; transactions that are over in a moment keep far fewer from being removed."""


class Hindrance(Struct, frozen=True, array_like=True):
    """A transaction that keeps what jobs have left behind from being removed."""

    holder: str
    """Who has it open, for people."""
    transaction: str
    """Its number."""
    since: int | None
    """When it began, in milliseconds since 1970; None where we may not know."""


class Swept(Struct, frozen=True):
    """What one round found."""

    tables: list[str]
    """Those that needed it."""
    hindrance: Hindrance | None = None
    """Why much of it is still there."""


def sweep() -> Operation[Swept]:
    """Make room of what jobs have left behind on their way."""
    tables = [table for table, dead in (yield from _swollen()).items() if dead]
    for table in tables:
        yield Call(f"vacuum_{table}")
    left = (yield from _swollen()) if tables else {}
    if max(left.values(), default=0) < _MANY:
        return Swept(tables)
    return Swept(tables, (yield from hindrance()))


def hindrance() -> Operation[Hindrance | None]:
    """The oldest transaction that keeps anything from being removed; asked only of stores that can swell."""
    answer = yield Call("hindrance", {}, Lane.READ)
    return next(iter(records(answer["hindrance"], Hindrance)), None)


def _swollen() -> Operation[dict[str, int]]:
    """The tables that have grown, with how many of their rows are dead."""
    answer = yield Call("swollen", {}, Lane.READ)
    return {str(table): dead for table, _, dead in answer["swollen"]}
