"""Listens for notifications on a connection and a thread of its own."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Collection
from contextlib import suppress
from math import ceil
from select import POLLIN, poll

import psycopg

from windlass import clock
from windlass.errors import StartRefused, WindlassError
from windlass.store.connection.circuit_breaker import Away
from windlass.store.connection.liveness import Finding, Liveness
from windlass.store.driver import ALL_TOPICS, Topic
from windlass.store.postgres.connection import TimedConnection
from windlass.store.postgres.connector import Connector
from windlass.store.postgres.ping import Ping
from windlass.threads.start import start_thread

log = logging.getLogger("windlass.store")

_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 4.0
_PATIENCE = 0.2
_STOP = b"x"
_FOLLOW = b"f"
_AT_ONCE = 4096

_IS_DIRECT = b"SELECT pg_backend_pid() = $1"


def channel(schema: str, topic: Topic) -> str:
    """Where a topic of one store is told."""
    return f"{schema}.{topic.value}"


class Silence:
    """News that never tells anything; polling finds everything a little later."""

    def hears(self, topic: Topic) -> bool:
        return False

    def follow(self, topics: Collection[Topic]) -> None:
        pass

    def close(self) -> None:
        pass


class _Pooled(Exception):
    """A pooler is in between, and most pass no news on."""


class ChannelNews:
    """Listens until it is closed; connects again by itself, and then tells everything, for it may have missed it."""

    def __init__(
        self,
        connector: Connector,
        *,
        schema: str,
        ourselves: str,
        heard: Callable[[Topic], None],
        filled: Callable[[str], None] | None = None,
        topics: Collection[Topic] = ALL_TOPICS,
        deadline: float,
        trusts_pooler: bool,
    ) -> None:
        self._connector = connector
        self._channels = {topic: channel(schema, topic) for topic in Topic}
        self._topics = {name: topic for topic, name in self._channels.items()}
        self._ourselves = ourselves
        self._heard = heard
        self._filled = filled
        self._wanted = frozenset(topics)
        self._followed: frozenset[Topic] = frozenset()
        """What the connection listens to."""
        self._deadline = deadline
        self._trusts_pooler = trusts_pooler
        self._is_doubted = False
        self._is_prompted = False
        """Whether the thread will look at what is wanted: a pipe that nobody reads for long must not become full."""
        self._prompts, self._prompting = os.pipe()
        try:
            self._thread = start_thread(self._run, name="windlass-news")
        except StartRefused:
            os.close(self._prompts)
            os.close(self._prompting)
            raise

    def hears(self, topic: Topic) -> bool:
        return topic in self._followed and not self._is_doubted

    def follow(self, topics: Collection[Topic]) -> None:
        self._wanted = frozenset(topics)
        if not self._is_prompted:
            self._is_prompted = True
            self._prompt(_FOLLOW)

    def close(self) -> None:
        self._prompt(_STOP)  # closing alone goes unnoticed while a forked child has it open too
        os.close(self._prompting)
        # A thread that is just connecting to a server which does not answer ends a little later, by itself.
        self._thread.join(_PATIENCE)

    def _prompt(self, what: bytes) -> None:
        with suppress(BrokenPipeError):  # it has given up by itself
            os.write(self._prompting, what)

    def _run(self) -> None:
        try:
            self._listen()
        finally:
            os.close(self._prompts)

    def _listen(self) -> None:
        pause = 0.0
        while not self._is_stopped(pause):
            try:
                connection = self._connector.attempt(clock.monotonic() + self._deadline)
            except (Away, WindlassError, OSError):
                pause = _later(pause)  # the callers of the store log that it is away
                continue
            try:
                self._check_is_direct(connection)
                connection.add_notify_handler(self._note)
                self._subscribe(connection)
                pause = 0.0
                self._attend(connection)
                return
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
                self._followed, self._is_doubted = frozenset(), False
                self._connector.discard(connection)

    def _check_is_direct(self, connection: TimedConnection) -> None:
        connection.until = clock.monotonic() + self._deadline
        if not (self._trusts_pooler or _is_direct(connection)):
            raise _Pooled

    def _subscribe(self, connection: TimedConnection) -> None:
        """Listen to what is wanted now; tell what is new of it, for it may have been told before."""
        wanted, followed = self._wanted, self._followed
        if wanted == followed:
            return
        commands = [f'LISTEN "{self._channels[topic]}"' for topic in wanted - followed]
        commands += [f'UNLISTEN "{self._channels[topic]}"' for topic in followed - wanted]
        connection.until = clock.monotonic() + self._deadline
        connection.execute("; ".join(commands).encode(), prepare=False)
        self._followed = wanted
        for topic in wanted - followed:
            self._heard(topic)

    def _attend(self, connection: TimedConnection) -> None:
        """Tell what comes, until the connection breaks or we are stopped."""
        pgconn, ping = connection.pgconn, Ping(connection.pgconn)
        liveness = Liveness(clock.monotonic())
        either = _poll(pgconn.socket, self._prompts)
        while True:
            ping.receive()
            if not ping.is_owed:
                self._subscribe(connection)
            while notify := pgconn.notifies():  # last: the library may have read some along with an answer
                self._tell(notify.relname.decode(), notify.extra.decode())
            ready = dict(either.poll(_milliseconds(liveness.pause(clock.monotonic()))))
            if self._prompts in ready and self._is_told_to_stop():
                return
            if pgconn.socket in ready:
                pgconn.consume_input()
                liveness.note_word(clock.monotonic())
                self._is_doubted = False
            elif not ready:
                self._look_after(liveness, ping)

    def _look_after(self, liveness: Liveness, ping: Ping) -> None:
        now = clock.monotonic()
        match liveness.judge(now):
            case Finding.ASK:
                ping.send()
                liveness.note_question(now)
            case Finding.DOUBT:
                self._is_doubted = True
                for topic in self._followed:
                    self._heard(topic)
            case Finding.OVER:
                raise psycopg.OperationalError("the server has fallen silent")
            case Finding.NOTHING:
                pass

    def _note(self, notify: psycopg.Notify) -> None:
        """What came together with the answer to a statement."""
        self._tell(notify.channel, notify.payload)

    def _tell(self, name: str, payload: str) -> None:
        teller, _, queue = payload.partition(" ")
        if teller == self._ourselves:
            return
        if self._filled is not None and queue:
            self._filled(queue)
        else:
            self._heard(self._topics[name])

    def _is_stopped(self, pause: float) -> bool:
        """Wait for a moment, or less when we are closed."""
        until = clock.monotonic() + pause
        while _poll(self._prompts).poll(_milliseconds(until - clock.monotonic())):
            if self._is_told_to_stop():
                return True
        return False

    def _is_told_to_stop(self) -> bool:
        """Read the prompts; to be called when there are some."""
        self._is_prompted = False  # before what is wanted is looked at
        return _STOP in os.read(self._prompts, _AT_ONCE)


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


def _milliseconds(seconds: float) -> int:
    """Rounded up: ``poll`` would come back a little early again and again."""
    return ceil(max(0.0, seconds) * 1000)


def _later(pause: float) -> float:
    """How long to wait after another failure; with jitter, for all processes lose a server at the same time."""
    return min(_LONGEST_PAUSE, max(_FIRST_PAUSE, pause * 2)) * (0.5 + clock.roll() / 2)
