"""The PostgreSQL driver: a call is one statement, which commits by itself."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any, TypeVar

from msgspec.json import encode

from windlass import clock
from windlass.errors import AppClosed, ConfigError, StoreUnavailable, WindlassError
from windlass.store.driver import News
from windlass.store.operation import Answer, Call, Lane
from windlass.store.postgres import schema as schemas
from windlass.store.postgres.address import parse_address
from windlass.store.postgres.failures import Clashed, Outdated, broken, translated
from windlass.store.postgres.news import Silence
from windlass.store.postgres.pools import Pools
from windlass.store.postgres.statements import Statement, statements

T = TypeVar("T")

_TRIES = 5
"""How often a statement is offered that PostgreSQL takes back because of another one."""


class PostgresDriver:
    """Carries out calls on one schema of a database, from any thread.

    Connects to nothing until the first call, which also makes the schema where there is none; a schema of an older
    release is brought up to date by ``migrate`` only. ``now`` gives the time in milliseconds in tests, otherwise the
    server's clock does. ``deadline`` is how many seconds a call may wait for a connection.
    """

    cycle_limit = 200

    def __init__(self, url: str, *, schema: str, now: Callable[[], int] | None, deadline: float) -> None:
        self._address = parse_address(url, deadline=deadline)
        self._schema = schema
        self._now = now
        self._deadline = deadline
        self._calls = statements(schema)
        self._pools = Pools(self._address, deadline=deadline)
        self._opening = Lock()
        self._is_open = False
        self._is_closed = False
        _forget_after_fork(self)

    @property
    def name(self) -> str:
        return self._address.name

    def execute(self, call: Call) -> Answer:
        statement = self._calls.get(call.name)
        if statement is None:
            raise NotImplementedError(f"the PostgreSQL store cannot carry out {call.name!r} yet")
        if not self._is_open:
            self._open()
        return self._patiently(lambda: self._perform(call, statement))

    def listen(self, wake: Callable[[], None]) -> News:
        return Silence()

    def migrate(self) -> list[str]:
        with self._opening:
            self._refuse_if_closed()
            return self._patiently(self._upgrade)

    def close(self) -> None:
        with self._opening:
            self._is_closed = True
            self._is_open = False
            self._pools.close()

    def start_anew(self) -> None:
        """Forget everything that belongs to the parent process; called in a forked child."""
        self._pools.abandon()
        self._pools = Pools(self._address, deadline=self._deadline)
        self._opening = Lock()

    def _open(self) -> None:
        with self._opening:
            self._refuse_if_closed()
            if not self._is_open:
                self._patiently(self._make_schema)
                self._is_open = True

    def _make_schema(self) -> None:
        with translated(self.name), self._pools.connection(Lane.WRITE) as connection:
            version = schemas.check_version(connection, self._schema, self.name)
            if version == 0:
                schemas.migrate(connection, self._schema)
            elif version < schemas.newest(self._schema):
                raise ConfigError(
                    f"{self.name}: schema {self._schema!r} is of an older Windlass; run `windlass migrate`"
                )

    def _upgrade(self) -> list[str]:
        with translated(self.name), self._pools.connection(Lane.WRITE) as connection:
            schemas.check_version(connection, self._schema, self.name)
            return schemas.migrate(connection, self._schema)

    def _refuse_if_closed(self) -> None:
        if self._is_closed:
            raise AppClosed(f"{self.name}: the store is closed")

    def _patiently(self, attempt: Callable[[], T]) -> T:
        """Try again when another statement came between: nothing was written then."""
        until = clock.monotonic() + self._deadline
        clashes = 0
        while True:
            try:
                return attempt()
            except Outdated as outdated:
                if clock.monotonic() >= until:
                    raise StoreUnavailable(
                        f"{self.name}: others changed the same ids, keys or limited queue for {self._deadline:g} s"
                    ) from outdated
            except Clashed as clashed:
                clashes += 1
                if clashes == _TRIES:
                    raise StoreUnavailable(
                        f"{self.name}: gave up after {_TRIES} tries beside others ({clashed})"
                    ) from clashed
            clock.sleep(0.0005 * clock.roll())

    def _perform(self, call: Call, statement: Statement) -> Answer:
        is_broken = False
        try:
            with translated(self.name), self._pools.connection(call.lane) as connection:
                try:
                    return statement.answer(connection.execute(statement.text, self._bound(call.params)))
                finally:
                    is_broken = connection.broken
        except WindlassError as error:
            if is_broken:
                raise broken(call, error) from error.__cause__
            raise

    def _bound(self, params: Mapping[str, Any]) -> dict[str, Any]:
        bound: dict[str, Any] = {"now": None if self._now is None else self._now()}
        for name, value in params.items():
            bound[name] = encode(value).decode() if isinstance(value, list | dict) else value
        return bound


def _forget_after_fork(driver: PostgresDriver) -> None:
    """Let forked children open connections of their own, without keeping the driver alive."""
    reference = weakref.ref(driver)

    def in_child() -> None:
        living = reference()
        if living is not None:
            living.start_anew()

    os.register_at_fork(after_in_child=in_child)
