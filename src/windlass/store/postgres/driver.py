"""The PostgreSQL driver: a call is one statement that commits by itself."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from functools import partial
from math import inf
from threading import Lock
from typing import TypeVar

from psycopg import errors

from windlass import clock
from windlass.errors import AppClosed, ConfigError, StoreUnavailable
from windlass.forks import reset_in_child
from windlass.store.caller.joined import Joined, join
from windlass.store.connection.circuit_breaker import Away, CircuitBreaker, LoginDenied
from windlass.store.connection.listener import NotificationListener
from windlass.store.connection.notifier import Notifier
from windlass.store.connection.pool import Pool
from windlass.store.driver import ALL_TOPICS, DataRejected, News, Topic, json_text, no_store
from windlass.store.operation import Answer, Call, Lane
from windlass.store.postgres import schema as schemas
from windlass.store.postgres.address import parse_address
from windlass.store.postgres.caller import DatabaseIdentity, PostgresScripts
from windlass.store.postgres.connection import TimedConnection
from windlass.store.postgres.connector import Connector
from windlass.store.postgres.errors import NextForm, TryAgain, Unprepared, translated
from windlass.store.postgres.news import Silence, channel, subscribe
from windlass.store.postgres.statements import Bound, statements

log = logging.getLogger("windlass.store")

T = TypeVar("T")

_NO_NEWS = (errors.ProgramLimitExceeded, errors.FeatureNotSupported, errors.UndefinedFunction)
"""What a server says that takes no news, or has no room for more because a listener does not read. Jobs it takes."""
_NOTIFY = b"SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)"
"""A notification is a transaction too. It is for processes that listen now, so it need not wait for the disk."""
_SKIPS = 100
"""How many calls begin with the next form of their statement after one that needed it: others soon will."""
_NOTIFY_DEADLINE = 1.0
"""Seconds; an enqueue does not wait longer than this for its notification."""


class PostgresDriver:
    """Carries out calls on one schema of a database, from any thread.

    Connects to nothing until the first call, which also makes the schema where there is none; a schema of an older
    release is brought up to date by ``migrate`` only. ``now`` gives the time in milliseconds in tests, otherwise the
    server's clock does. ``deadline`` is how many seconds a call may take, with all that it has to wait for.
    """

    cycle_limit = 200
    smallest_cycle = 200

    def __init__(self, url: str, *, schema: str, now: Callable[[], int] | None, deadline: float) -> None:
        self._address = parse_address(url, deadline=deadline)
        self._schema = schema
        self._now = now
        self._deadline = deadline
        self._statements = statements(schema)
        self._breaker = CircuitBreaker(self.name)
        self._notifier = Notifier(self._send)
        self._prepares = self._address.prepare
        self._skips: dict[str, int] = {}
        """By call: how many times the first form of its statement is left out."""
        self._is_open = False
        self._is_closed = False
        self._home = DatabaseIdentity(self._ask_home)
        self._begin()
        reset_in_child(self, PostgresDriver.reset_after_fork)

    @property
    def name(self) -> str:
        return self._address.name

    def execute(self, call: Call) -> Answer:
        return self._carry_out(call)

    def store(self, call: Call) -> Answer:
        """Notifies along with the call where there was no news for a while, and else a moment later."""
        # A job that takes new arguments is told of later: claims that met it locked must hear of it after the commit.
        # The statement that stores edges does not notify.
        is_rare = call.params.get("replacing") or call.params.get("tied")
        goes_along = not is_rare and self._notifier.goes_along(Topic.WORK)
        answer = self._store_and_notify(call) if goes_along else self._carry_out(call)
        if not _has_stored(answer):
            self._notifier.was_not_sent(Topic.WORK)
        elif not goes_along:
            self._notifier.notify(Topic.WORK)
        return answer

    def listen(
        self,
        heard: Callable[[Topic], None],
        *,
        filled: Callable[[str], None] | None = None,
        topics: Collection[Topic] = ALL_TOPICS,
    ) -> News:
        self._refuse_if_closed()
        if not self._address.listens:
            return Silence()
        subscription = partial(
            subscribe,
            self._connector,
            schema=self._schema,
            ourselves=self._identity,
            deadline=self._deadline,
            trusts_pooler=self._address.news == "listen",
        )
        return NotificationListener(subscription, heard, filled=filled, topics=topics)

    def notify(self, topic: Topic) -> None:
        self._notifier.notify(topic)

    def join(self, connection: object) -> Joined:
        self._refuse_if_closed()
        # Sent without our name, so that our own process receives it as well: it cannot know when the caller commits.
        news = channel(self._schema, Topic.WORK) if self._address.listens else None

        def here(call: Call) -> Bound:
            # A guard stores nothing, so its commit is no news.
            return self._bound(Call("database_identity", {"channel": None if call.name == "guard" else news}))

        scripts = PostgresScripts(self.name, home=self._home, here=here, bound=self._bound)
        return join(connection, scripts.carry_out, database="postgresql", store=self.name)

    def exists(self) -> bool:
        return self._on_schema(lambda connection, schema, _: bool(schemas.inspect(connection, schema).applied))

    def make(self) -> None:
        if not self._is_open:
            self._open(clock.monotonic() + self._deadline, makes=True)

    def migrate(self) -> list[str]:
        """Bring the schema up to date, however long that takes; the names of the steps taken."""
        return self._on_schema(schemas.migrate)

    def migration_sql(self) -> str:
        """What ``migrate`` would run, as one transaction; changes nothing."""
        return self._on_schema(schemas.missing_sql)

    def facts(self) -> dict[str, str]:
        found = self.execute(Call("facts", {}, Lane.READ))["facts"]
        return {"store": "postgresql", **{str(name): str(value) for name, value in found}}

    def close(self) -> None:
        self._notifier.close()
        with self._opening:
            self._is_closed = True
            self._is_open = False
            self._connector.close()
            self._pool.close()

    def reset_after_fork(self) -> None:
        """Forget everything that belongs to the parent process; called in a forked child."""
        self._connector.abandon()
        self._begin()

    def _store_and_notify(self, call: Call) -> Answer:
        try:
            return self._carry_out(call, news=channel(self._schema, Topic.WORK))
        except (StoreUnavailable, DataRejected) as error:
            if not isinstance(error.__cause__, _NO_NEWS):
                raise
        return self._carry_out(call)

    def _carry_out(self, call: Call, *, news: str | None = None) -> Answer:
        if self._skips.get(call.name, 0) < 1:
            try:
                return self._carry_out_as(self._bound(call, news=news), call)
            except NextForm:
                self._skips[call.name] = _SKIPS
        self._skips[call.name] -= 1
        return self._carry_out_as(self._bound(call, news=news, skips=1), call)

    def _carry_out_as(self, bound: Bound, call: Call) -> Answer:
        statement, values = bound
        until = clock.monotonic() + self._deadline
        if not self._is_open:
            self._open(until, makes=call.lane.writes)

        def ask(connection: TimedConnection) -> Answer:
            return connection.ask(statement.text, values, statement.answer)

        return self._with_patience(call.lane, ask, until=until)

    def _begin(self) -> None:
        """What every process has of its own."""
        self._identity = f"{clock.random_bits(64):x}"
        self._opening = Lock()
        self._connector = Connector(self._address, breaker=self._breaker, prepare=self._prepares)
        self._pool = Pool(self._connector, name=self.name, calls=self._address.pool)

    def _ask_home(self) -> str:
        """Asked for those who enqueue inside a transaction of theirs, where the schema cannot be made."""
        self.make()
        return str(self.execute(Call("database_identity", {"channel": None}, Lane.READ))["identity"][0][0])

    def _open(self, until: float, *, makes: bool) -> None:
        """Look at the schema before its first use. Where there is none, ``makes`` decides."""
        with self._opening:
            self._refuse_if_closed()
            if not self._is_open:
                self._at_first(lambda connection: self._look_at_schema(connection, makes), until=until)
                self._is_open = True

    def _look_at_schema(self, connection: TimedConnection, makes: bool) -> None:
        found = schemas.inspect(connection, self._schema)
        if found.applied:
            schemas.check_current(found, self._where)
        elif makes:
            schemas.migrate(connection, self._schema, self._where)
        else:
            raise no_store(self.name, self._schema)

    def _on_schema(self, work: Callable[[TimedConnection, str, str], T]) -> T:
        def without_haste(connection: TimedConnection) -> T:
            connection.until = inf
            return work(connection, self._schema, self._where)

        with self._opening:
            self._refuse_if_closed()
            return self._at_first(without_haste, until=clock.monotonic() + self._deadline)

    def _at_first(self, work: Callable[[TimedConnection], T], *, until: float) -> T:
        """Use a server that we have not used before: whether it lets us in is a matter of configuration then."""
        try:
            return self._with_patience(Lane.WRITE, work, until=until)
        except LoginDenied as refused:
            raise ConfigError(str(refused)) from refused.__cause__

    @property
    def _where(self) -> str:
        return f"{self.name}: schema {self._schema!r}"

    def _refuse_if_closed(self) -> None:
        if self._is_closed:
            raise AppClosed(f"{self.name}: the store is closed")

    def _send(self, topic: Topic) -> None:
        """Tried once, and apart from the calls: those have more patience, and must not learn here that all is lost."""
        until = clock.monotonic() + min(_NOTIFY_DEADLINE, self._deadline)
        values = [channel(self._schema, topic), self._identity]

        def notify(connection: TimedConnection) -> None:
            with translated(self.name, connection, writes=False):
                connection.execute(_NOTIFY, values)

        try:
            self._pool.use(Lane.WRITE, notify, until=until, connect=self._connector.attempt)
        except (Away, TryAgain, Unprepared) as error:
            raise StoreUnavailable(f"{self.name}: news were not sent ({error})") from error

    def _with_patience(self, lane: Lane, work: Callable[[TimedConnection], T], *, until: float) -> T:
        """Do something on a connection, again where nothing was written and another try may succeed."""

        def try_once(connection: TimedConnection) -> T:
            with translated(self.name, connection, writes=lane.writes):
                return work(connection)

        tries, before = 0, ""
        while True:
            try:
                return self._pool.use(lane, try_once, until=until)
            except Unprepared as lost:
                self._stop_preparing(lost)
            except StoreUnavailable as error:
                if type(error) is StoreUnavailable and before:
                    raise StoreUnavailable(f"{error}; before that: {before}") from error.__cause__
                raise
            except TryAgain as again:
                tries, before = tries + 1, str(again)
                pause = again.pause * (0.5 + clock.roll())
                if tries >= again.tries or clock.monotonic() + pause >= until:
                    raise StoreUnavailable(f"{self.name}: {again}") from again.__cause__
                if again.on_another:
                    self._pool.drop_idle()
                clock.sleep(pause)

    def _stop_preparing(self, lost: Unprepared) -> None:
        if self._prepares:
            self._prepares = False
            log.warning("%s: a pooler loses prepared statements (%s); going on as with ?prepare=off", self.name, lost)
        self._connector.prepare = False
        self._pool.drop_idle()

    def _bound(self, call: Call, *, news: str | None = None, skips: int = 0) -> Bound:
        """A call's statement with the values of its parameters, in order; lists travel as JSON.

        ``news`` is the channel on which a statement that stores jobs notifies of them. The first forms of the statement
        are left out, as many as ``skips`` says.
        """
        params = call.params if news is None else {**call.params, "news": news}
        forms = self._statements.get(call.name, ())[skips:]
        statement = next((one for one in forms if one.suits(params)), None)
        if statement is None:
            raise NotImplementedError(f"the PostgreSQL store knows no call {call.name!r}")
        store = self.name
        values = {
            name: json_text(value, store=store) if isinstance(value, list | dict) else value
            for name, value in params.items()
        }
        values["now"] = None if self._now is None else self._now()
        values["ourselves"] = self._identity
        return statement, [values[name] for name in statement.names]


def _has_stored(answer: Answer) -> bool:
    """Whether a call that stores jobs has done so, or found them there already; not where a guard stopped it."""
    return bool(answer.get("stored")) or "found" in answer
