"""Listens for notifications: one connection, a channel for each topic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from redis.exceptions import NoPermissionError, RedisError

from windlass import clock
from windlass.store.connection.circuit_breaker import Away
from windlass.store.connection.listener import Notification
from windlass.store.driver import Topic
from windlass.store.redis.connection import Connection, NoReply
from windlass.store.redis.connector import Connector


def channels(prefix: str) -> dict[Topic, str]:
    """The channel of each topic; scripts that add jobs know that of new work. Plain ones: in a cluster every node hears
    them, and they are few.
    """
    return {topic: f"{prefix}news:{topic.value}" for topic in Topic}


def subscribe(connector: Connector, *, prefix: str, patience: float) -> RedisSubscription:
    """Connect; ``patience`` is how many seconds the server may take for anything."""
    connection = connector.connect(clock.monotonic() + patience)
    return RedisSubscription(connection, channels(prefix), patience=patience)


class RedisSubscription:
    """A connection that hears what is published."""

    def __init__(self, connection: Connection, channels: dict[Topic, str], *, patience: float) -> None:
        self._connection = connection
        self._channels = channels
        self._topics = {channel: topic for topic, channel in channels.items()}
        self._patience = patience
        self._asked: frozenset[Topic] = frozenset()
        """What the server was asked for."""
        self._may_leave = True
        """Whether we may stop to hear something; rights that were given for an older release do not include it."""
        self.followed: frozenset[Topic] = frozenset()

    def fileno(self) -> int:
        return self._connection.fileno()

    def follow(self, topics: frozenset[Topic]) -> Iterable[Notification]:
        added, left = topics - self._asked, self._asked - topics if self._may_leave else frozenset[Topic]()
        with self._in_time():
            for command, of_it in (("SUBSCRIBE", added), ("UNSUBSCRIBE", left)):
                if of_it:
                    self._connection.send(command, *(self._channels[topic] for topic in of_it))
        self._asked = (self._asked | added) - left
        return ()

    def read(self) -> Iterator[Notification]:
        while self._connection.has_more:
            yield from self._meaning(self._read())

    def ping(self) -> None:
        with self._in_time():
            self._connection.send("PING")

    def close(self) -> None:
        self._connection.close()

    def _read(self) -> Sequence[str]:
        with self._in_time():
            try:
                said: Sequence[str] = self._connection.read()
            except NoPermissionError:
                if self.followed <= self._asked:
                    raise
                self._asked, self._may_leave = self._asked | self.followed, False
                return ()
        return said

    def _meaning(self, said: Sequence[str]) -> Iterator[Notification]:
        match said:
            case ["message", channel, queue]:
                yield self._topics[channel], queue
            case ["subscribe", channel, _]:
                self.followed |= {self._topics[channel]}
                yield self._topics[channel], ""
            case ["unsubscribe", channel, _]:
                self.followed -= {self._topics[channel]}
            case _:
                pass  # the answer to a ping

    @contextmanager
    def _in_time(self) -> Iterator[None]:
        self._connection.until = clock.monotonic() + self._patience
        try:
            yield
        except (RedisError, NoReply) as error:
            raise Away(str(error)) from error
