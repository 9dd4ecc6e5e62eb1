"""The SQLite driver: a call is a list of statements in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from threading import Lock

from windlass.errors import AppClosed, ConfigError, StoreUnavailable, WindlassError
from windlass.store.caller.joined import Joined, join
from windlass.store.driver import ALL_TOPICS, News, Topic, no_store
from windlass.store.operation import Answer, Call, Lane
from windlass.store.sqlite import schema
from windlass.store.sqlite.address import Address
from windlass.store.sqlite.caller import SqliteScripts
from windlass.store.sqlite.commit_topics import CommitTopics
from windlass.store.sqlite.connections import Connections
from windlass.store.sqlite.file import DatabaseFile
from windlass.store.sqlite.group_commit import CommitsSeen
from windlass.store.sqlite.guards.fork_pause import ForkPause, take_part_in_forks, waits_for_forks
from windlass.store.sqlite.guards.wal_size import LARGE
from windlass.store.sqlite.libraries import Busy
from windlass.store.sqlite.news import listen
from windlass.store.sqlite.statements import Calls
from windlass.store.statement_files import load_calls

_PACKAGE = "windlass.store.sqlite"


class SqliteDriver:
    """Carries out calls on one file, from any thread.

    Opens nothing until the first call, which also makes or upgrades the schema. ``now`` gives the time in
    milliseconds, ``deadline`` is how many seconds a call may wait for other writers. A log of more than ``large_log``
    bytes is warned about.
    """

    cycle_limit = 200
    smallest_cycle = 200

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
        self._calls = Calls(load_calls(_PACKAGE, prefix=prefix), name=self.name, now=now)
        self._file = DatabaseFile(address, deadline=deadline, large_log=large_log)
        self._connections = Connections(self._file)
        self._opening = Lock()
        self._is_open = False
        self._is_closed = False
        self.fork_pause = ForkPause()
        take_part_in_forks(self)

    @property
    def name(self) -> str:
        return self._address.path

    def store(self, call: Call) -> Answer:
        return self.execute(call)  # others see the commit itself

    @waits_for_forks
    def execute(self, call: Call) -> Answer:
        bound = self._calls.bind(call)
        if not self._is_open:
            self._open(call.lane.writes)
        try:
            return self._connections.execute(bound, call.lane)
        except Busy as busy:
            raise self._locked() from busy

    def listen(
        self,
        heard: Callable[[Topic], None],
        *,
        filled: Callable[[str], None] | None = None,
        topics: Collection[Topic] = ALL_TOPICS,
    ) -> News:
        self.migrate()
        commits = CommitTopics(heard, topics=topics, work=self._look_for_work)
        return listen(self._address, commits, check=self._look_for_commits)

    def notify(self, topic: Topic) -> None:
        """The commit itself is the notification."""

    def join(self, connection: object) -> Joined:
        if self._is_closed:
            raise AppClosed(f"{self.name}: the store is closed")
        if self._address.is_memory:
            raise ConfigError("a store in memory has no other connections; to join a transaction, keep it in a file")
        if self._address.library != "stdlib":
            raise ConfigError(
                f"{self.name}: this store uses a file of its own, through an SQLite library of its own; "
                "to enqueue or guard a job inside a transaction of yours, keep the jobs in your application's database "
                "file and add ?driver=stdlib to the store URL"
            )
        up_to_date = partial(schema.up_to_date, self._prefix, self.name, now=self._now)
        scripts = SqliteScripts(self._address, self._calls, up_to_date=up_to_date)
        return join(connection, scripts.carry_out, database="sqlite", store=self.name)

    @waits_for_forks
    def exists(self) -> bool:
        with self._opening:
            return self._is_open or self._has_schema()

    def make(self) -> None:
        self.migrate()

    @waits_for_forks
    def migrate(self) -> list[str]:
        return self._open(True)

    def migration_sql(self) -> str:
        """Nothing: opening the file upgrades it."""
        return ""

    def facts(self) -> dict[str, str]:
        found = self.execute(Call("facts", {}, Lane.READ))["facts"]
        return {"store": "sqlite", **{str(name): str(value) for name, value in found}}

    @waits_for_forks
    def close(self) -> None:
        with self._opening:
            self._is_closed = True
            if self._is_open:
                self._is_open = False
                self._close_connections()
                self._file.let_go()

    def before_fork(self) -> None:
        """Prepare for a fork: no thread is inside SQLite, no connection is open."""
        self.fork_pause.halt()
        if not self._address.is_memory:
            self._close_connections()

    def after_fork_in_parent(self) -> None:
        """The fork has been made; the next call opens what it needs."""
        self.fork_pause.resume()

    def reset_after_fork(self) -> None:
        """Forget everything that belongs to the parent process; called in a forked child."""
        self._connections.abandon()
        self._connections = Connections(self._file)
        self._opening = Lock()
        self.fork_pause = ForkPause()

    @waits_for_forks
    def _look_for_commits(self) -> CommitsSeen:
        try:
            return self._connections.writer.look_for_commits() if self._is_open else CommitsSeen.NOTHING
        except (Busy, WindlassError):
            return CommitsSeen.NOTHING  # the file is in trouble; the calls on it report that

    @waits_for_forks
    def _look_for_work(self) -> tuple[bool, int | None]:
        [statement] = self._calls.statements["work_ahead"]
        try:
            rows = self._connections.writer.peek(statement.text) if self._is_open else None
        except (Busy, WindlassError):
            rows = None  # the next call reports what is wrong
        if rows is None:
            return True, None
        [(is_waiting, due)] = rows
        return bool(is_waiting), due

    def _open(self, makes: bool) -> list[str]:
        """Open the file and bring its schema up to date; the steps that took. ``makes`` decides where there is none."""
        with self._opening:
            if self._is_closed:
                raise AppClosed(f"{self.name}: the store is closed")
            if self._is_open:
                return []
            if not (makes or self._address.is_memory or self._has_schema()):
                raise no_store(self.name, self._prefix.removesuffix("_"))
            try:
                self._file.take()
                steps = self._make_schema()
            except BaseException:
                self._close_connections()
                self._file.identity.forget()
                self._file.let_go()
                raise
            self._is_open = True
            self._file.warn_of_place()
            return steps

    def _has_schema(self) -> bool:
        try:
            return self._file.has_schema(self._prefix)
        except Busy as busy:
            raise self._locked() from busy

    def _make_schema(self) -> list[str]:
        try:
            # Nearly every opening finds the schema current, and a reader must not wait for a writer.
            if self._connections.read(lambda connection: schema.is_current(connection, self._prefix)):
                return []
            return self._connections.writer.run_alone(
                lambda connection: schema.upgrade(connection, self._prefix, self.name, now=self._now)
            )
        except Busy as busy:
            raise self._locked() from busy

    def _close_connections(self) -> None:
        if self._file.identity.may_close():
            self._connections.close()
        else:
            self._connections.abandon()  # nor may the interpreter close them
            self._connections = Connections(self._file)
        self._file.identity.forget_log()

    def _locked(self) -> StoreUnavailable:
        return StoreUnavailable(
            f"{self.name}: another process has kept the file locked for {self._deadline:g} s; "
            "is a transaction left open somewhere?"
        )
