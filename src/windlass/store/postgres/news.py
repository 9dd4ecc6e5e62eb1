"""Hearing what other processes tell, on a connection and a thread of its own."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from contextlib import suppress
from select import POLLIN, poll

import psycopg

from windlass import clock
from windlass.errors import StartRefused, WindlassError
from windlass.store.breaker import Away
from windlass.store.driver import Topic
from windlass.store.keepalive import probe_often
from windlass.store.postgres.connections import Connections
from windlass.store.postgres.timed import TimedConnection
from windlass.thread_start import start_thread

log = logging.getLogger("windlass.store")

_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 4.0
_PATIENCE = 0.2

_IS_DIRECT = b"SELECT pg_backend_pid() = $1"


def channel(schema: str, topic: Topic) -> str:
    """Where a topic of one store is told."""
    return f"{schema}.{topic.value}"


class Silence:
    """News that never tells anything; polling finds everything a little later."""

    def hears(self, topic: Topic) -> bool:
        return False

    def close(self) -> None:
        pass


class _Pooled(Exception):
    """A pooler is in between, and most pass no news on."""


class ChannelNews:
    """Listens until it is closed; connects again by itself, and then tells everything, for it may have missed it."""

    def __init__(
        self,
        connections: Connections,
        *,
        schema: str,
        ourselves: str,
        heard: Callable[[Topic], None],
        filled: Callable[[str], None] | None = None,
        deadline: float,
        trusts_pooler: bool,
    ) -> None:
        self._connections = connections
        self._topics = {channel(schema, topic): topic for topic in Topic}
        self._ourselves = ourselves
        self._heard = heard
        self._filled = filled
        self._deadline = deadline
        self._trusts_pooler = trusts_pooler
        self._is_listening = False
        self._stop_reading, self._stop_writing = os.pipe()
        try:
            self._thread = start_thread(self._run, name="windlass-news")
        except StartRefused:
            os.close(self._stop_reading)
            os.close(self._stop_writing)
            raise

    def hears(self, topic: Topic) -> bool:
        return self._is_listening

    def close(self) -> None:
        with suppress(BrokenPipeError):  # it has given up by itself
            os.write(self._stop_writing, b"x")  # closing alone goes unnoticed while a forked child has it open too
        os.close(self._stop_writing)
        # A thread that is just connecting to a server which does not answer ends a little later, by itself.
        self._thread.join(_PATIENCE)

    def _run(self) -> None:
        try:
            self._listen()
        finally:
            os.close(self._stop_reading)

    def _listen(self) -> None:
        pause = 0.0
        while not self._is_stopped(pause):
            try:
                connection = self._connections.attempt(until=clock.monotonic() + self._deadline)
            except (Away, WindlassError, OSError):
                pause = _later(pause)  # whoever needs the store will say that it is away
                continue
            try:
                self._subscribe(connection)
                pause = 0.0
                self._follow(connection)
            except _Pooled:
                log.info(
                    "a connection pooler is in between; jobs of other processes are found by polling "
                    "(?news=listen if it keeps the server connection for the whole session)"
                )
                return
            except psycopg.OperationalError:
                pause = _later(pause)
            except psycopg.Error as error:
                log.info("the server takes no LISTEN (%s); jobs of other processes are found by polling", error)
                return
            finally:
                self._is_listening = False
                self._connections.let_go(connection)

    def _subscribe(self, connection: TimedConnection) -> None:
        connection.until = clock.monotonic() + self._deadline
        if not (self._trusts_pooler or _is_direct(connection)):
            raise _Pooled
        probe_often(connection.pgconn.socket)
        for name in self._topics:
            connection.execute(f'LISTEN "{name}"'.encode(), prepare=False)
        self._is_listening = True
        for topic in Topic:
            self._heard(topic)

    def _follow(self, connection: TimedConnection) -> None:
        """Tell what comes, until the connection breaks or we are stopped."""
        pgconn = connection.pgconn
        either = _poll(pgconn.socket, self._stop_reading)
        while True:
            while notify := pgconn.notifies():
                teller, _, queue = notify.extra.decode().partition(" ")
                if teller != self._ourselves:
                    self._tell(self._topics[notify.relname.decode()], queue)
            if self._stop_reading in dict(either.poll()):
                return
            pgconn.consume_input()

    def _tell(self, topic: Topic, queue: str) -> None:
        if self._filled is not None and queue:
            self._filled(queue)
        else:
            self._heard(topic)

    def _is_stopped(self, pause: float) -> bool:
        """Wait for a moment, or less when we are closed."""
        return bool(_poll(self._stop_reading).poll(pause * 1000))


def _is_direct(connection: TimedConnection) -> bool:
    """Whether no pooler is in between: those make up the process id that they tell their clients.

    Behind one that changes connections between transactions, LISTEN would stay behind on a connection of others.
    """
    row = connection.execute(_IS_DIRECT, [connection.info.backend_pid], prepare=False).fetchone()
    return bool(row and row[0])


def _poll(*descriptors: int) -> poll:
    waiting = poll()
    for descriptor in descriptors:
        waiting.register(descriptor, POLLIN)
    return waiting


def _later(pause: float) -> float:
    """How long to wait after another failure; with jitter, for all processes lose a server at the same time."""
    return min(_LONGEST_PAUSE, max(_FIRST_PAUSE, pause * 2)) * (0.5 + clock.roll() / 2)
