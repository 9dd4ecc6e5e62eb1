"""A connection with a deadline for everything it does."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from math import inf
from select import POLLERR, POLLHUP, POLLIN, poll
from typing import Any, Generic, TypeVar

from psycopg import Connection, Cursor, Error, OperationalError, RawCursor, capabilities, generators
from psycopg.abc import Buffer, PQGen
from psycopg.adapt import Dumper, Loader
from psycopg.conninfo import conninfo_attempts, conninfo_to_dict, make_conninfo
from psycopg.errors import _WaitTimeout
from psycopg.pq import TransactionStatus
from psycopg.pq.abc import PGconn
from psycopg.waiting import Ready, Wait, wait_conn

from windlass import clock

A = TypeVar("A")
R = TypeVar("R")

_LOOK = 0.1
"""How often a wait looks up, so that Ctrl-C is heard."""
_FAREWELL = 0.4
"""Seconds for asking the server to drop a statement whose time is over, and again for its answer."""


_SETTINGS = b"""
    SELECT set_config('plan_cache_mode', 'force_generic_plan', false), set_config('jit', 'off', false),
        set_config('default_transaction_isolation', 'read committed', false)
    WHERE pg_backend_pid() = $1
"""
"""One plan for all values of a prepared statement: ours are written so that it serves them all, and planning costs more
than running them. Compiling would cost a hundred times that, at every run. Read committed, because ours lock what they
judge by: where the database says serializable, busy workers would be turned down all the time. Only without a pooler,
which would hand the settings on to others; a pooler makes up the process id that it tells its clients."""

_PLANS_LAST = 2.0
"""Seconds of work after which statements are planned anew. One that was planned while a table was empty, as far as its
statistics knew, reads all of what has come since for each row that it looks for, until the table is analysed. Planning
takes some milliseconds; a connection that has little to do does it hardly ever.
"""


class DeadlinePassed(OperationalError):
    """The server did not answer in time; the connection is closed, what became of the statement is unknown."""


class Unsent(OperationalError):
    """The server did not take the whole statement in time; the connection is closed, and nothing was carried out."""


class TimedConnection(Connection[Any]):
    """A connection whose every wait ends at ``until``; commits every statement by itself, takes ``$1`` parameters."""

    until: float = inf
    """On the monotonic clock."""
    used: float = 0.0
    """When it was last given back, on the monotonic clock."""
    _pool = None
    """psycopg's mark of connections that may end with the program; without it an app that was not closed would warn."""

    def __init__(self, pgconn: PGconn) -> None:
        super().__init__(pgconn)
        self.cursor_factory = RawCursor
        self.autocommit = True
        self.prepare_threshold = None
        self.adapters.register_loader("json", _Raw)
        for kind in (int, float, bool):
            self.adapters.register_dumper(kind, _Untyped)
        # Kept, because to make one takes longer than to answer a short statement.
        self._asker = self.cursor()
        self._is_under_way = False
        self.plans_last = _PLANS_LAST
        self._worked = 0.0
        """Seconds of work since its statements were planned."""
        self._hears = poll()
        self._hears.register(pgconn.socket, POLLIN | POLLERR | POLLHUP)

    @classmethod
    def reach(cls, conninfo: str, *, until: float) -> TimedConnection:
        """Connect to the first host that answers; one that swallows everything gets only its share of the time."""
        failures: list[OperationalError] = []
        attempts = conninfo_attempts(conninfo_to_dict(conninfo))
        for number, attempt in enumerate(attempts):
            share = (until - clock.monotonic()) / (len(attempts) - number)
            try:
                connecting = generators.connect(make_conninfo("", **attempt))
                connection = cls(wait_conn(connecting, interval=_LOOK, timeout=max(share, 0.001)))
            except _WaitTimeout:
                failures.append(OperationalError(f"{attempt.get('host') or 'the server'} did not answer in time"))
            except OperationalError as failure:
                failures.append(failure)
            else:
                connection.until = until
                return connection
        raise OperationalError("; ".join(dict.fromkeys(map(str, failures)))) from failures[-1]

    def ask(self, text: bytes, values: Sequence[Any], read: Callable[[Cursor[Any]], A]) -> A:
        """What ``read`` makes of a statement's answer."""
        self._is_under_way = True
        began = clock.monotonic()
        try:
            if self._worked >= self.plans_last and self.prepare_threshold is not None:
                self._worked = 0.0
                self.execute(b"DISCARD PLANS", prepare=False)
            answer = read(self._asker.execute(text, values))
            self._is_under_way = False
            return answer
        except (Error, UnicodeError):
            self._is_under_way = False
            raise
        finally:
            self._worked += clock.monotonic() - began
            self._asker._reset()  # noqa: SLF001  # a connection at rest must not hold a large answer

    def prepare_statements(self) -> None:
        """Prepare every statement at its first use."""
        self.prepare_threshold = 0
        # Behind a pooler that does not know prepared statements another process's statement may have our statement's
        # name. Random names turn that into an error.
        self._prepared._prepared_idx = clock.random_bits(60)  # noqa: SLF001
        self.execute(_SETTINGS, [self.info.backend_pid], prepare=False)

    def wait(self, gen: PQGen[R], interval: float = _LOOK, timeout: float | None = None) -> R:
        if timeout is not None:  # the caller's own limit
            return super().wait(gen, interval, timeout)
        if self.until == inf:
            return super().wait(gen, interval)
        try:
            return super().wait(gen, interval, max(0.0, self.until - clock.monotonic()))
        except _WaitTimeout:
            return self._call_off(gen, interval)

    @property
    def is_disconnected(self) -> bool:
        """Whether the server has hung up, without a round trip: then there is something to read, or an end."""
        return self.closed or bool(self._hears.poll(0))

    @property
    def is_idle(self) -> bool:
        """Whether it can carry out another statement. After an exception from outside (Ctrl-C, a signal handler that
        raises) the server and the library may have different ideas of what is prepared.
        """
        return not self._is_under_way and not self.closed and self.info.transaction_status is TransactionStatus.IDLE

    def _call_off(self, gen: PQGen[R], interval: float) -> R:
        """Ask the server to drop the statement: when it does, it is sure that nothing was written."""
        if capabilities.has_cancel_safe():  # the older way may block for as long as TCP does
            with suppress(OperationalError):
                self.cancel_safe(timeout=_FAREWELL)
        waiting = _Interrupted(gen)
        try:
            return super().wait(waiting.resumed(), interval, _FAREWELL)
        except OperationalError as failure:
            late: OperationalError
            if waiting.is_sending:  # also where the connection broke: what it was not sent it did not carry out
                late = Unsent("the server did not take the statement in time")
            elif isinstance(failure, _WaitTimeout):
                late = DeadlinePassed("the server did not answer in time")
            else:
                raise
        self._sever()
        raise late

    def _sever(self) -> None:
        """Close the connection without sending what is left: the end of a statement would have it carried out."""
        # One that broke by itself has no socket any more.
        with suppress(OSError, Error), closing(socket.socket(fileno=os.dup(self.pgconn.socket))) as shared:
            shared.shutdown(socket.SHUT_RDWR)
        self.pgconn.finish()


class _Interrupted(Generic[R]):
    """A conversation with the server that was left in the middle, to be gone on with."""

    def __init__(self, gen: PQGen[R]) -> None:
        self._gen = gen
        self.is_sending = False
        """Whether the server has not been given the whole statement yet; it commits at the very end of one."""

    def resumed(self) -> PQGen[R]:
        """The rest of it. A wait begins with None, which only a conversation that has not begun understands."""
        ready: Ready | int = Ready.NONE
        while True:
            try:
                wants = self._gen.send(ready)
            except StopIteration as stop:
                value: R = stop.value
                return value
            self.is_sending = bool(wants & Wait.W)
            ready = yield wants


class _Raw(Loader):
    """Leaves JSON as it came: whole batches are decoded straight into records."""

    def load(self, data: Buffer) -> bytes:
        return bytes(data)


class _Untyped(Dumper):
    """Leaves a value's type to the statement, so that null and numbers of any size share one prepared statement."""

    oid = 0

    def dump(self, obj: float) -> bytes:
        return str(obj).encode()
