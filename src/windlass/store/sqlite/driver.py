"""The SQLite driver: a call is a list of statements in one transaction."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Collection
from contextlib import closing
from pathlib import Path
from threading import Lock
from typing import Any

from msgspec.json import encode

from windlass.errors import AppClosed, ConfigError, StoreUnavailable, WindlassError
from windlass.store.caller.joined import Joined, join
from windlass.store.driver import ALL_TOPICS, DataRejected, News, Topic, no_store
from windlass.store.operation import Answer, Call
from windlass.store.sqlite import schema
from windlass.store.sqlite.access import Access
from windlass.store.sqlite.address import Address
from windlass.store.sqlite.caller import SqliteScripts
from windlass.store.sqlite.commit_topics import CommitTopics
from windlass.store.sqlite.connections import Connections
from windlass.store.sqlite.group_commit import Sight
from windlass.store.sqlite.guards.file_identity import FileIdentity, LogReplaced
from windlass.store.sqlite.guards.fork_pause import ForkPause
from windlass.store.sqlite.guards.network_mount import warn_of_network
from windlass.store.sqlite.guards.two_libraries import claim_file, yield_file
from windlass.store.sqlite.guards.wal_size import LARGE, WalSize
from windlass.store.sqlite.libraries import Busy, Connection, Statements, carry_out, connect
from windlass.store.sqlite.news import listen
from windlass.store.sqlite.statements import Prepared
from windlass.store.statement_files import load_calls

_PACKAGE = "windlass.store.sqlite"
_COMPOSED = (list, dict)


class SqliteDriver:
    """Carries out calls on one file, from any thread.

    Opens nothing until the first call, which also makes or upgrades the schema. ``now`` gives the time in
    milliseconds, ``deadline`` is how many seconds a call may wait for other writers. A log of more than ``large_log``
    bytes is warned about.
    """

    cycle_limit = 200

    def __init__(
        self,
        address: Address,
        *,
        prefix: str,
        now: Callable[[], int],
        deadline: float,
        large_log: int = LARGE,
    ) -> None:
        self._address = address
        self._prefix = prefix
        self._now = now
        self._deadline = deadline
        self._calls = load_calls(_PACKAGE, prefix=prefix)
        self._fork_pause = ForkPause()
        self._file_identity = FileIdentity(
            None if address.is_memory else address.path, WalSize(address.path, large=large_log)
        )
        self._access = Access(address, self._file_identity, deadline=deadline)
        self._connections = self._new_connections()
        self._opening = Lock()
        self._is_open = False
        self._is_closed = False
        _close_while_forking(self)

    @property
    def name(self) -> str:
        return self._address.path

    def store(self, call: Call) -> Answer:
        return self.execute(call)  # others see the commit itself

    def execute(self, call: Call) -> Answer:
        return self._fork_pause.through(self._execute, call)

    def listen(
        self,
        heard: Callable[[Topic], None],
        *,
        filled: Callable[[str], None] | None = None,
        topics: Collection[Topic] = ALL_TOPICS,
    ) -> News:
        self.migrate()
        commits = CommitTopics(heard, topics=topics, work=self._look_for_work)
        return listen(self._address, commits, look=self._look_for_commits)

    def notify(self, topic: Topic) -> None:
        """The commit itself is the news."""

    def join(self, connection: object) -> Joined:
        if self._is_closed:
            raise AppClosed(f"{self.name}: the store is closed")
        if self._address.is_memory:
            raise ConfigError("a store in memory has no other connections; to join a transaction, keep it in a file")
        if self._address.library != "stdlib":
            raise ConfigError(
                f"{self.name}: this store uses a file of its own, through an SQLite library of its own; "
                "to enqueue inside a transaction of yours, keep the jobs in your application's database file and add "
                "?driver=stdlib to the store URL"
            )
        scripts = SqliteScripts(self._address, up_to_date=self._up_to_date, performed=self._performed)
        return join(connection, scripts.carry_out, database="sqlite", store=self.name)

    def exists(self) -> bool:
        def look() -> bool:
            with self._opening:
                return self._is_open or self._is_there()

        return self._fork_pause.through(look)

    def make(self) -> None:
        self.migrate()

    def migrate(self) -> list[str]:
        return self._fork_pause.through(self._open, True)

    def migration_sql(self) -> str:
        """Nothing: opening the file upgrades it."""
        return ""

    def close(self) -> None:
        self._fork_pause.through(self._close)

    def before_fork(self) -> None:
        """Prepare for a fork: no thread is inside SQLite, no connection is open."""
        self._fork_pause.halt()
        if not self._address.is_memory:
            self._close_connections()

    def after_fork_in_parent(self) -> None:
        """The fork is over; the next call opens what it needs."""
        self._fork_pause.resume()

    def reset_after_fork(self) -> None:
        """Forget everything that belongs to the parent process; called in a forked child."""
        self._connections.abandon()
        self._connections = self._new_connections()
        self._opening = Lock()
        self._fork_pause = ForkPause()

    def _execute(self, call: Call) -> Answer:
        prepared = self._prepared(call)
        if not self._is_open:
            self._open(call.lane.writes)
        try:
            return self._connections.execute(prepared, call.lane)
        except Busy as busy:
            raise self._locked() from busy

    def _close(self) -> None:
        with self._opening:
            self._is_closed = True
            if self._is_open:
                self._is_open = False
                self._close_connections()
                self._let_file_go()

    def _look_for_commits(self) -> Sight:
        def look() -> Sight:
            try:
                return self._connections.writer.look_for_commits() if self._is_open else Sight.NOTHING
            except (Busy, WindlassError):
                return Sight.NOTHING  # the file is in trouble; the calls on it report that

        return self._fork_pause.through(look)

    def _look_for_work(self) -> tuple[bool, int | None]:
        def look() -> tuple[bool, int | None]:
            [statement] = self._calls["work"]
            try:
                rows = self._connections.writer.peek(statement.text) if self._is_open else None
            except (Busy, WindlassError):
                rows = None  # whoever goes for it will say what is wrong
            if rows is None:
                return True, None
            [(is_waiting, due)] = rows
            return bool(is_waiting), due

        return self._fork_pause.through(look)

    def _new_connections(self) -> Connections:
        return Connections(
            connect=self._access.connect,
            begin=self._access.begin,
            perform=self._perform,
            retry_while_busy=self._access.retry_while_busy,
            check=self._access.check,
            is_memory=self._address.is_memory,
        )

    def _close_connections(self) -> None:
        try:
            self._file_identity.check_all()
        except LogReplaced:
            self._connections.abandon()  # nor may the interpreter close them: see Access.check
            self._connections = self._new_connections()
        except StoreUnavailable:
            self._connections.close()  # without the file SQLite keeps the log; without the log it saves what it held
        else:
            self._connections.close()
        self._file_identity.forget_log()

    def _open(self, makes: bool) -> list[str]:
        """Open the file and bring its schema up to date; the steps that took. ``makes`` decides where there is none."""
        with self._opening:
            if self._is_closed:
                raise AppClosed(f"{self.name}: the store is closed")
            if self._is_open:
                return []
            if not (makes or self._address.is_memory or self._is_there()):
                raise no_store(self.name, self._prefix.removesuffix("_"))
            try:
                self._take_file()
                steps = self._make_schema()
            except BaseException:
                self._close_connections()
                self._file_identity.forget()
                self._let_file_go()
                raise
            self._is_open = True
            if not self._address.is_memory:
                warn_of_network(self._address.path)
            return steps

    def _is_there(self) -> bool:
        """Whether the file is there, as far as we may know, and has our tables."""
        try:
            Path(self._address.path).stat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:
            pass  # to open it says what is wrong
        return self._has_schema()

    def _has_schema(self) -> bool:
        """On a connection of its own, which sets nothing up: that would change a file that may not be ours."""
        try:
            self._take_file()
            with closing(connect(self._address)) as connection:
                return self._access.retry_while_busy(lambda: carry_out(schema.version(self._prefix), connection)) > 0
        except Busy as busy:
            raise self._locked() from busy
        finally:
            self._let_file_go()

    def _make_schema(self) -> list[str]:
        def step(connection: Connection) -> list[str]:
            return carry_out(self._up_to_date(), connection)

        try:
            # Nearly every opening finds the schema current, and a reader must not wait for a writer.
            if self._connections.look(lambda connection: schema.is_current(connection, self._prefix)):
                return []
            return self._connections.writer.run_alone(step)
        except Busy as busy:
            raise self._locked() from busy

    def _take_file(self) -> None:
        self._file_identity.check_beginning()
        if self._address.library == "apsw" and not self._address.is_memory:
            claim_file(self._address.path, by=id(self))

    def _let_file_go(self) -> None:
        if self._address.library == "apsw" and not self._address.is_memory:
            yield_file(self._address.path, by=id(self))

    def _locked(self) -> StoreUnavailable:
        return StoreUnavailable(
            f"{self.name}: another process has kept the file locked for {self._deadline:g} s; "
            "is a transaction left open somewhere?"
        )

    def _up_to_date(self) -> Statements[list[str]]:
        return schema.up_to_date(self._prefix, self.name, now=self._now)

    def _perform(self, connection: Connection, call: Prepared) -> Answer:
        # Read after the lock was taken: a call that waited must not judge leases by the time at which it came.
        return carry_out(call.performed(now=self._now()), connection)

    def _performed(self, call: Call) -> Statements[Answer]:
        return self._prepared(call).performed(now=self._now())

    def _prepared(self, call: Call) -> Prepared:
        bound: dict[str, Any] = {**call.params}
        for name, value in call.params.items():
            if type(value) in _COMPOSED:
                bound[name] = self._encoded(value)
        return Prepared(self._calls[call.name], call.params, bound)

    def _encoded(self, value: object) -> str:
        try:
            return encode(value).decode()
        except (UnicodeError, OverflowError) as error:  # lone surrogates, numbers that no store has room for
            raise DataRejected(f"{self.name}: {error}") from error


def _close_while_forking(driver: SqliteDriver) -> None:
    """Let parent and child each open connections of their own after a fork, without keeping the driver alive."""
    reference = weakref.ref(driver)

    def of_driver(act: Callable[[SqliteDriver], None]) -> Callable[[], None]:
        def at_fork() -> None:
            living = reference()
            if living is not None:
                act(living)

        return at_fork

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(
            before=of_driver(SqliteDriver.before_fork),
            after_in_parent=of_driver(SqliteDriver.after_fork_in_parent),
            after_in_child=of_driver(SqliteDriver.reset_after_fork),
        )
