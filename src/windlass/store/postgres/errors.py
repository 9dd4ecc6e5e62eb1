"""psycopg's exceptions to ours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf

import psycopg
from psycopg import errors

from windlass.errors import OutcomeUnknown, StoreUnavailable
from windlass.store.connection.circuit_breaker import Away, LoginDenied
from windlass.store.driver import DataRejected
from windlass.store.postgres.connection import TimedConnection, Unsent

TRY_AGAIN = "windlass: try again"
"""What a statement fails with when something that it judged by has changed since it began."""

NEXT_FORM = "windlass: next form"
"""What the short form of a statement fails with that meets what only the next one can do."""

_TRIES = 5
"""How often a statement is offered that PostgreSQL takes back because of another one."""

_HINTS: dict[type[Exception], str] = {
    errors.UndefinedTable: "its tables are gone or of another version; run `windlass migrate`",
    errors.InvalidSchemaName: "its schema is gone; run `windlass migrate`",
    errors.UndefinedColumn: "its tables are of another version; run `windlass migrate`",
    errors.InsufficientPrivilege: "this user may not do that",
    errors.DiskFull: "the server's disk is full",
    errors.QueryCanceled: "the server took too long, or waited for a lock that another transaction holds",
}

# How a connection attempt failed is said in words only, in the server's language. In any other than English these are
# not recognised, and the attempt is repeated until the deadline.
_REFUSALS = re.compile(
    r"authentication failed|no password supplied|no pg_hba\.conf entry|is not permitted to log in"
    r'|(role|database|user) ".*" does not exist|permission denied for database|does not support SSL'
    r"|certificate verify failed|root certificate file"
    # What libpq finds wrong before it connects, in the URL or in the environment (PGPORT, PGSSLMODE).
    r"|invalid port number|invalid \w+ value|could not match \d+"
)


class TryAgain(Exception):
    """Nothing was written, and another try may succeed. The text says why it did not."""

    def __init__(self, why: str, *, pause: float, tries: float = inf, on_another: bool = False) -> None:
        super().__init__(why)
        self.pause = pause
        """About how many seconds to wait before the next try."""
        self.tries = tries
        """How many there may be."""
        self.on_another = on_another
        """Whether this connection would fail again, and most likely the idle ones too."""


class NextForm(Exception):
    """The call needs the next form of its statement; nothing was written."""


class Unprepared(Exception):
    """A pooler has lost our prepared statements; nothing was written."""


def unreachable(error: psycopg.Error, name: str) -> Away | LoginDenied:
    """What a connection attempt that failed means."""
    said = " ".join(str(error).split()).removeprefix("connection failed: ")
    return LoginDenied(f"{name}: {said}") if _REFUSALS.search(said) else Away(said)


@contextmanager
def translated(name: str, connection: TimedConnection, *, writes: bool) -> Iterator[None]:
    """Turn every exception of psycopg into one of ours; the cause stays attached.

    ``writes`` says whether a statement whose connection broke may have left something behind.
    """
    try:
        yield
    except (psycopg.Error, UnicodeError) as error:
        if connection.closed or _is_farewell(error):
            connection.close()
            raise _broken(name, error, writes=writes) from error
        raise translate(name, error) from error


def _is_farewell(error: Exception) -> bool:
    """Whether it is the last thing that the server, or a pooler, says on this connection."""
    state = error.sqlstate if isinstance(error, psycopg.Error) else None
    return state is not None and state.startswith(("08", "57P"))


def _broken(name: str, error: Exception, *, writes: bool) -> Exception:
    """The connection broke during a statement: a read did not happen; whether a write did is unknown."""
    if writes and not isinstance(error, Unsent):
        return OutcomeUnknown(
            f"{name}: {_said(error)}; the connection broke during a call that may have been carried out"
        )
    return TryAgain(_said(error), pause=0.05)


def translate(name: str, error: Exception) -> Exception:
    """What an error of a statement means whose connection is well."""
    said = _said(error)
    match error:
        case errors.SerializationFailure() | errors.DeadlockDetected() | errors.LockNotAvailable():
            return TryAgain(f"gave up after {_TRIES} tries beside others ({said})", pause=0.005, tries=_TRIES)
        case errors.ReadOnlySqlTransaction():
            # After a failover another of the URL's hosts takes them.
            return TryAgain(f"the server takes no writes; is it a standby? ({said})", pause=0.2, on_another=True)
        case errors.InvalidSqlStatementName() | errors.DuplicatePreparedStatement():
            return Unprepared(said)
        case errors.FeatureNotSupported() if "cached plan" in said:
            return TryAgain(said, pause=0.001, tries=_TRIES, on_another=True)
        case psycopg.DataError() | psycopg.IntegrityError() if TRY_AGAIN in said:
            return TryAgain("others changed the same ids, keys or limited queue all the time", pause=0.0005)
        case psycopg.DataError() if NEXT_FORM in said:
            return NextForm(said)
        case psycopg.DataError() | psycopg.IntegrityError() | errors.ProgramLimitExceeded() | UnicodeError():
            return DataRejected(f"{name}: {said}")
        case _:
            hint = _HINTS.get(type(error))
            return StoreUnavailable(f"{name}: {hint} ({said})" if hint else f"{name}: {said}")


def _said(error: Exception) -> str:
    """The server's sentence without its details, which may quote what users store."""
    primary = error.diag.message_primary if isinstance(error, psycopg.Error) else None
    return primary or " ".join(str(error).split())
