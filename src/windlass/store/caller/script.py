"""The steps on a caller's connection, as a generator without I/O.

The same script is carried out by a sync or an async library, so nothing is written twice.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct

A = TypeVar("A")


class Query(Struct, frozen=True):
    """One statement for the caller's connection, in the database's own notation: ``$1`` or ``:name``."""

    text: str
    values: Sequence[Any] | Mapping[str, Any] = ()


class Look(Struct, frozen=True):
    """Something that the database library's own connection object knows without a statement."""

    see: Callable[[Any], Any]


class Own(Struct, frozen=True):
    """Work on our own connections; it may block."""

    work: Callable[[], Any]


Step = Query | Look | Own
Script = Generator[Step, Any, A]


class Column(NamedTuple):
    """One column of a reply, named as cursors name theirs."""

    name: str


class Reply(Struct, frozen=True):
    """What a query gave, with the face of a cursor."""

    description: list[Column]
    rows: list[tuple[Any, ...]]

    def fetchone(self) -> tuple[Any, ...] | None:
        return self.rows[0] if self.rows else None

    def fetchall(self) -> list[tuple[Any, ...]]:
        return self.rows


def reply(names: Sequence[str] = (), rows: Sequence[Sequence[Any]] = ()) -> Reply:
    """A reply from whatever a library calls its columns and rows."""
    return Reply([Column(name) for name in names], [tuple(row) for row in rows])


_SAVEPOINT = Query("SAVEPOINT windlass_call")
_UNDO = Query("ROLLBACK TO SAVEPOINT windlass_call")
_RELEASE = Query("RELEASE SAVEPOINT windlass_call")


def all_or_nothing(script: Script[A]) -> Script[A]:
    """Carry out a script so that an error leaves nothing of it behind, and the caller's transaction usable."""
    yield _SAVEPOINT
    try:
        result = yield from script
    except GeneratorExit:  # abandoned: no further step can be carried out
        raise
    except BaseException:  # also a cancelled coroutine and Ctrl-C, for the caller may still commit
        with suppress(Exception):  # the first error is the one to report; a broken connection has nothing to undo
            yield _UNDO
            yield _RELEASE
        raise
    yield _RELEASE
    return result
