"""Listens for notifications: one connection, a channel for each topic."""

from __future__ import annotations

import socket
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from math import ceil
from select import POLLIN, poll
from threading import RLock, current_thread

from redis.exceptions import NoPermissionError, RedisError

from windlass import clock
from windlass.errors import StartRefused, WindlassError
from windlass.store.connection.circuit_breaker import Away
from windlass.store.connection.liveness import QUIET, Finding, Liveness
from windlass.store.connection.pool import Connector
from windlass.store.driver import ALL_TOPICS, Topic
from windlass.store.redis.connection import Connection, NoReply
from windlass.threads.start import start_thread
from windlass.threads.wakeup import Wakeup

_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 5.0
_AT_ONCE = 4096
_FAREWELL = 0.5
"""How many seconds ``close`` waits for the thread, which may be waiting for a server that does not answer."""


def channels(prefix: str) -> dict[Topic, str]:
    """The channel of each topic; scripts that add jobs know that of new work. Plain ones: in a cluster every node hears
    them, and they are few.
    """
    return {topic: f"{prefix}news:{topic.value}" for topic in Topic}


class RedisNews:
    """Listens on a thread of its own, and comes back by itself after every interruption.

    ``patience`` is how many seconds the server may take to let us in; after ``quiet`` seconds without a word it is
    asked whether it is still there.
    """

    def __init__(
        self,
        connector: Connector[Connection],
        heard: Callable[[Topic], None],
        *,
        filled: Callable[[str], None] | None = None,
        topics: Collection[Topic] = ALL_TOPICS,
        prefix: str,
        patience: float,
        quiet: float = QUIET,
    ) -> None:
        self._connector = connector
        self._quiet = quiet
        self._heard = heard
        self._filled = filled
        self._channels = channels(prefix)
        self._topics = {channel: topic for topic, channel in self._channels.items()}
        self._patience = patience
        self._wanted = frozenset(topics)
        self._asked: frozenset[Topic] = frozenset()
        """What the server was asked for."""
        self._followed: frozenset[Topic] = frozenset()
        """What it has said that we hear."""
        self._may_leave = True
        """Whether we may stop to hear something; rights that were given for an older release do not include it."""
        self._is_doubted = False
        self._is_prompted = False
        """Whether the thread will look at what is wanted: a socket that nobody reads for long must not become full."""
        self._stopped = Wakeup()
        self._telling = RLock()  # a listener may close us
        self._wake, self._woken = socket.socketpair()
        try:
            self._thread = start_thread(self._run, name="windlass-news")
        except StartRefused:
            self._wake.close()
            self._woken.close()
            raise

    def hears(self, topic: Topic) -> bool:
        return topic in self._followed and topic in self._wanted and not self._is_doubted

    def follow(self, topics: Collection[Topic]) -> None:
        self._wanted = frozenset(topics)
        if not self._is_prompted:
            self._is_prompted = True
            with suppress(OSError):  # the thread has ended
                self._wake.send(b"f")

    def close(self) -> None:
        """Nothing is told any more once this has returned."""
        with self._telling:
            if self._stopped.is_set():
                return
            self._stopped.set()
        self._wake.close()
        if self._thread is not current_thread():
            self._thread.join(_FAREWELL)

    def _run(self) -> None:
        pause = _FIRST_PAUSE
        with self._woken:
            while not self._stopped.is_set():
                try:
                    self._listen()
                    return
                except (RedisError, WindlassError, Away, NoReply, OSError) as error:
                    # Whoever calls the store says what is wrong with it. Having been connected starts the pauses anew.
                    pause = min(pause * 2, _LONGEST_PAUSE) if not isinstance(error, NoReply) else _FIRST_PAUSE
                clock.wait(self._stopped, pause * (0.5 + clock.roll()))

    def _listen(self) -> None:
        """Until we are closed, or the connection breaks."""
        connection = self._connector.connect(clock.monotonic() + self._patience)
        try:
            self._ask_for_wanted(connection)
            self._attend(connection)
        finally:
            self._asked = self._followed = frozenset()
            self._is_doubted = False
            connection.close()

    def _ask_for_wanted(self, connection: Connection) -> None:
        wanted = self._wanted
        connection.until = clock.monotonic() + self._patience
        added, left = wanted - self._asked, self._asked - wanted if self._may_leave else frozenset[Topic]()
        for command, topics in (("SUBSCRIBE", added), ("UNSUBSCRIBE", left)):
            if topics:
                connection.send(command, *(self._channels[topic] for topic in topics))
        self._asked = (self._asked | added) - left

    def _attend(self, connection: Connection) -> None:
        said_something = poll()  # unlike select, it takes the descriptors of programs that have very many
        for source in (connection.fileno(), self._woken.fileno()):
            said_something.register(source, POLLIN)
        liveness = Liveness(clock.monotonic(), quiet=self._quiet)
        while not self._stopped.is_set():
            while connection.has_more:
                self._take(self._read(connection))
                liveness.note_word(clock.monotonic())
                self._is_doubted = False
            ready = dict(said_something.poll(ceil(liveness.pause(clock.monotonic()) * 1000)))
            if self._woken.fileno() in ready:
                self._is_prompted = False  # before what is wanted is looked at
                self._woken.recv(_AT_ONCE)
                if not self._stopped.is_set():
                    self._ask_for_wanted(connection)
            elif not ready:
                self._look_after(liveness, connection)

    def _read(self, connection: Connection) -> Sequence[str]:
        try:
            connection.until = clock.monotonic() + self._patience
            said: Sequence[str] = connection.read()
        except NoPermissionError:
            if self._followed <= self._asked:
                raise
            self._asked, self._may_leave = self._asked | self._followed, False
            return ()
        return said

    def _look_after(self, liveness: Liveness, connection: Connection) -> None:
        now = clock.monotonic()
        match liveness.judge(now):
            case Finding.ASK:
                connection.until = now + self._patience
                connection.send("PING")
                liveness.note_question(now)
            case Finding.DOUBT:
                self._is_doubted = True
                for topic in self._followed:
                    self._tell(topic)
            case Finding.OVER:
                raise NoReply("the server has fallen silent")
            case Finding.NOTHING:
                pass

    def _take(self, said: Sequence[str]) -> None:
        """Act on one thing that the server said. A topic that is heard from now on may have been told before."""
        match said:
            case ["message", channel, queue]:
                self._tell(self._topics[channel], queue)
            case ["subscribe", channel, _]:
                self._followed |= {self._topics[channel]}
                self._tell(self._topics[channel])
            case ["unsubscribe", channel, _]:
                self._followed -= {self._topics[channel]}
            case _:
                pass  # the answer to a ping

    def _tell(self, topic: Topic, queue: str = "") -> None:
        with self._telling:
            if not self._stopped.is_set() and topic in self._wanted:
                if self._filled is not None and queue:
                    self._filled(queue)
                else:
                    self._heard(topic)
