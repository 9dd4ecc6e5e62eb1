"""Listens for notifications: one connection, a channel for each topic."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager

import psycopg

from windlass import clock
from windlass.store.connection.circuit_breaker import Away
from windlass.store.connection.listener import CannotListen, Notification
from windlass.store.driver import Topic
from windlass.store.postgres.connection import TimedConnection
from windlass.store.postgres.connector import Connector
from windlass.store.postgres.ping import Ping

_IS_DIRECT = b"SELECT pg_backend_pid() = $1"


def channel(schema: str, topic: Topic) -> str:
    """The channel for a topic of one store."""
    return f"{schema}.{topic.value}"


class Silence:
    """News that never brings anything; polling finds everything a little later."""

    def hears(self, topic: Topic) -> bool:
        return False

    def follow(self, topics: Collection[Topic]) -> None:
        pass

    def close(self) -> None:
        pass


def subscribe(
    connector: Connector, *, schema: str, ourselves: str, deadline: float, trusts_pooler: bool
) -> PostgresSubscription:
    """Connect; ``deadline`` is how many seconds the server may take for anything."""
    connection = connector.attempt(clock.monotonic() + deadline)
    subscription = PostgresSubscription(connector, connection, schema=schema, ourselves=ourselves, deadline=deadline)
    if not trusts_pooler:
        subscription.check_is_direct()
    return subscription


class PostgresSubscription:
    """A connection that listens to channels; what the process ``ourselves`` sends is left out."""

    def __init__(
        self, connector: Connector, connection: TimedConnection, *, schema: str, ourselves: str, deadline: float
    ) -> None:
        self._connector = connector
        self._connection = connection
        self._ping = Ping(connection.pgconn)
        self._channels = {topic: channel(schema, topic) for topic in Topic}
        self._topics = {name: topic for topic, name in self._channels.items()}
        self._ourselves = ourselves
        self._deadline = deadline
        self._came_along: list[Notification] = []
        """What came together with the answer to a statement."""
        connection.add_notify_handler(self._note)
        self.followed: frozenset[Topic] = frozenset()

    def check_is_direct(self) -> None:
        """Behind a pooler that changes connections between transactions, LISTEN would be left behind with others."""
        try:
            with self._in_time():
                is_direct = _is_direct(self._connection)
        except BaseException:
            self.close()
            raise
        if not is_direct:
            self.close()
            raise CannotListen(
                "a connection pooler is in between; jobs of other processes are found by polling "
                "(?news=listen if it keeps the server connection for the whole session)"
            )

    def fileno(self) -> int:
        with self._in_time():
            return self._connection.pgconn.socket

    def follow(self, topics: frozenset[Topic]) -> Iterator[Notification]:
        if topics == self.followed or self._ping.is_owed:
            return
        added = topics - self.followed
        commands = [f'LISTEN "{self._channels[topic]}"' for topic in added]
        commands += [f'UNLISTEN "{self._channels[topic]}"' for topic in self.followed - topics]
        with self._in_time():
            self._connection.execute("; ".join(commands).encode(), prepare=False)
        self.followed = topics
        for topic in added:
            yield topic, ""
        yield from self._received()

    def read(self) -> Iterator[Notification]:
        with self._in_time():
            self._connection.pgconn.consume_input()
            self._ping.receive()
        yield from self._received()

    def ping(self) -> None:
        with self._in_time():
            self._ping.send()

    def close(self) -> None:
        self._connector.discard(self._connection)

    def _received(self) -> Iterator[Notification]:
        while notify := self._connection.pgconn.notifies():
            self._note(psycopg.Notify(notify.relname.decode(), notify.extra.decode(), notify.be_pid))
        came, self._came_along = self._came_along, []
        yield from came

    def _note(self, notify: psycopg.Notify) -> None:
        teller, _, queue = notify.payload.partition(" ")
        if teller != self._ourselves:
            self._came_along.append((self._topics[notify.channel], queue))

    @contextmanager
    def _in_time(self) -> Iterator[None]:
        self._connection.until = clock.monotonic() + self._deadline
        try:
            yield
        except psycopg.OperationalError as error:
            raise Away(str(error)) from error
        except psycopg.Error as error:
            raise CannotListen(
                f"the server takes no LISTEN ({error}); jobs of other processes are found by polling"
            ) from error


def _is_direct(connection: TimedConnection) -> bool:
    """Whether no pooler is in between: those make up the process id that they give their clients."""
    row = connection.execute(_IS_DIRECT, [connection.info.backend_pid], prepare=False).fetchone()
    return bool(row and row[0])
