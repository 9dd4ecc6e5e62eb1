"""Appends what a worker has gathered; reads what is not merged yet."""

from __future__ import annotations

from msgspec import Struct

from windlass.core.figures.row import Row, pack, unpack
from windlass.store.answers import records
from windlass.store.operation import Call, Lane, Operation

ROWS_KEPT = 10_000
"""How many rows wait for a leader at the most; the oldest go."""
ROWS_AT_ONCE = 50


class FigureRow(Struct, frozen=True, array_like=True):
    """A row that is not merged yet."""

    number: int
    at: int
    """When it was stored."""
    data: str

    def read(self) -> Row | None:
        """None where it cannot be read."""
        return unpack(self.data, Row)


class Unmerged(Struct, frozen=True):
    """Rows, the oldest first, and how the store stood when they were read."""

    rows: list[FigureRow]
    revision: int
    """Every change of buckets raises it."""
    bytes: int
    """How many bytes all buckets have."""
    now: int


def append_row(row: Row, *, worker: str, number: int) -> Operation[bool]:
    """Store what a worker has gathered; false where a row of this worker has that number, or a higher one.

    So a repeat after no reply counts nothing twice, also if the row was merged meanwhile. ``worker`` is the id of the
    process, ``number`` grows with each of its rows and is about the time in milliseconds.
    """
    params = {"worker": worker, "number": number, "data": pack(row), "kept": ROWS_KEPT}
    answer = yield Call("append_figures", params)
    return bool(answer.get("added"))


def unmerged(*, skip: int = 0, limit: int = ROWS_AT_ONCE) -> Operation[Unmerged]:
    """The oldest rows that are not merged yet, behind so many others."""
    answer = yield Call("figure_rows", {"skip": skip, "limit": limit}, Lane.READ)
    [(revision, bytes, now)] = answer["state"]
    return Unmerged(records(answer["rows"], FigureRow), revision, bytes, now)
