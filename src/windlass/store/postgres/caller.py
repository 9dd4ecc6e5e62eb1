"""Calls inside the caller's transaction on the same database."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
from psycopg import errors

from windlass.errors import ConfigError, StoreUnavailable, WindlassError
from windlass.store.caller.errors import is_of_library, origin
from windlass.store.caller.script import Own, Query, Script, all_or_nothing
from windlass.store.operation import Answer, Call
from windlass.store.postgres.errors import TRY_AGAIN, translate
from windlass.store.postgres.statements import Bound

_TRIES = 200
"""How often a statement is tried again after another transaction came in between. Where many replace the same job at
once, each commit lets one of them through, and the others try again.
"""


class DatabaseIdentity:
    """Which database the store is in, as the server says: asked once, and again when a caller seems to be elsewhere."""

    def __init__(self, ask: Callable[[], str]) -> None:
        self._ask = ask
        self._known: str | None = None

    def known(self) -> str:
        return self._known or self.asked_again()

    def asked_again(self) -> str:
        self._known = self._ask()
        return self._known


class PostgresScripts:
    """How calls are carried out on a caller's connection."""

    def __init__(
        self, name: str, *, home: DatabaseIdentity, here: Callable[[Call], Bound], bound: Callable[[Call], Bound]
    ) -> None:
        """``here`` asks the connection of a call where it is; ``bound`` gives a call's statement with its values."""
        self._name = name
        self._home = home
        self._here = here
        self._bound = bound

    def carry_out(self, call: Call) -> Script[Answer]:
        """Carry out one call; whatever goes wrong, the caller's transaction goes on as if it had not been asked."""
        here, bound = self._here(call), self._bound(call)
        yield Own(self._home.known)  # makes the schema where there is none; in here it would wait for the caller
        for _ in range(_TRIES):
            try:
                return (yield from all_or_nothing(self._perform(here, bound)))
            except Exception as error:
                if not is_of_library(error):
                    raise
                twin = _twin(origin(error))
                # Each statement of a transaction sees anew, so another try sees what this one did not expect.
                if TRY_AGAIN not in str(twin):
                    raise self._meaning(twin) from error
        raise StoreUnavailable(f"{self._name}: others changed the same ids, keys or limited queue all the time")

    def _perform(self, here: Bound, bound: Bound) -> Script[Answer]:
        yield from self._refuse_another_database(here)
        statement, values = bound
        return statement.answer((yield Query(statement.text.decode(), values)))

    def _refuse_another_database(self, asked: Bound) -> Script[None]:
        statement, values = asked
        reply = yield Query(statement.text.decode(), values)
        here = reply.rows[0][0]
        # The server may have been started anew since we asked it.
        if here != (yield Own(self._home.known)) and here != (yield Own(self._home.asked_again)):
            raise ConfigError(
                f"{self._name}: the connection is to another database than the store; only one to the store's own "
                "database can be used (to enqueue, none is needed)"
            )

    def _meaning(self, twin: psycopg.Error) -> Exception:
        if isinstance(twin, errors.NoActiveSqlTransaction):
            return ConfigError(
                f"{self._name}: the connection has no transaction open and commits every statement by itself; "
                "begin one first (conn.transaction(), transaction.atomic(), or autocommit off)"
            )
        if isinstance(twin, errors.InFailedSqlTransaction):
            return StoreUnavailable(
                f"{self._name}: an error has ended this transaction before; roll it back and begin another"
            )
        if isinstance(twin, errors.ReadOnlySqlTransaction):
            return StoreUnavailable(
                f"{self._name}: the transaction is read-only; begin one that may write (to enqueue, none is needed)"
            )
        found = translate(self._name, twin)
        if not isinstance(found, WindlassError):  # our own connections would try again
            return StoreUnavailable(f"{self._name}: {twin}; roll the transaction back and begin it anew")
        return found


def _twin(error: BaseException) -> psycopg.Error:
    """The error as psycopg would have raised it, so that errors of all libraries are translated in one place."""
    state = getattr(error, "sqlstate", None) or getattr(error, "pgcode", None)
    try:
        kind = errors.lookup(str(state))
    except KeyError:
        kind = psycopg.OperationalError
    return kind(_said(error))


def _said(error: BaseException) -> str:
    """The server's sentence without its details, which may quote what users store."""
    primary = getattr(getattr(error, "diag", None), "message_primary", None) or getattr(error, "message", None)
    return str(primary or " ".join(str(error).split()))
