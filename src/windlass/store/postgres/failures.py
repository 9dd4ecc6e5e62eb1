"""From psycopg's exceptions to ours, in one place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors

from windlass.errors import OutcomeUnknown, StoreUnavailable, WindlassError
from windlass.store.driver import DataRefused
from windlass.store.operation import Call, Lane

_LOOK_AGAIN = "windlass: look again"
"""What a statement fails with when something that it judged by has changed since it began."""

_HINTS: dict[type[psycopg.Error], str] = {
    errors.UndefinedTable: "its tables are gone; run `windlass migrate`",
    errors.InsufficientPrivilege: "this user may not do that",
    errors.ReadOnlySqlTransaction: "the server takes no writes; is it a standby?",
    errors.DiskFull: "the server's disk is full",
}


class Outdated(Exception):
    """Nothing was written, because what the statement saw is no longer so; try again at once."""


class Clashed(Exception):
    """PostgreSQL took the statement back to let another one through (deadlock, serialisation); try again."""


@contextmanager
def translated(name: str) -> Iterator[None]:
    """Turn every exception of psycopg into one of ours; the cause stays attached."""
    try:
        yield
    except (errors.SerializationFailure, errors.DeadlockDetected) as error:
        raise Clashed(_said(error)) from error
    except (psycopg.DataError, psycopg.IntegrityError) as error:
        if _LOOK_AGAIN in _said(error):
            raise Outdated from error
        raise DataRefused(f"{name}: {_said(error)}") from error
    except UnicodeError as error:
        raise DataRefused(f"{name}: {error}") from error
    except psycopg.Error as error:
        hint = _HINTS.get(type(error))
        raise StoreUnavailable(f"{name}: {hint} ({_said(error)})" if hint else f"{name}: {_said(error)}") from error


def broken(call: Call, error: WindlassError) -> WindlassError:
    """What a connection that broke during a call means: a read did not happen, of a write nobody knows."""
    if call.lane is Lane.READ:
        return error
    return OutcomeUnknown(f"{error}; the connection broke during {call.name!r}, which may have been carried out")


def _said(error: psycopg.Error) -> str:
    """The server's sentence without its details, which may quote what users store."""
    return error.diag.message_primary or " ".join(str(error).split())
