"""Listens for notifications on a connection and a thread of its own."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from math import ceil
from select import POLLIN, poll
from threading import RLock, current_thread
from typing import Protocol

from windlass import clock
from windlass.errors import StartRefused, WindlassError
from windlass.store.connection.circuit_breaker import Away
from windlass.store.connection.liveness import QUIET, ConnectionLiveness, Finding
from windlass.store.driver import ALL_TOPICS, Topic
from windlass.threads.start import start_thread
from windlass.threads.wakeup import Wakeup

log = logging.getLogger("windlass.store")

_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 4.0
_AT_ONCE = 4096
_FAREWELL = 0.5
"""Seconds that ``close`` waits for the thread, which may be waiting for a server that does not answer."""

Notification = tuple[Topic, str]
"""A topic, and the queue to which jobs were added; empty where that is not known."""


class CannotListen(Exception):
    """The server passes no notifications on; the text is for the log."""


class Subscription(Protocol):
    """One connection on which a server sends notifications. Its methods raise ``Away`` where the connection has
    broken.
    """

    @property
    def followed(self) -> frozenset[Topic]:
        """The topics that the server has confirmed."""

    def fileno(self) -> int:
        """For ``poll``."""

    def follow(self, topics: frozenset[Topic]) -> Iterable[Notification]:
        """Subscribe to these topics and no others, as soon as the connection takes the request; returns what came
        meanwhile.
        """

    def read(self) -> Iterable[Notification]:
        """The notifications that have come. A topic that is subscribed from now on is among them, for one may have been
        missed before.
        """

    def ping(self) -> None:
        """Ask the server for an answer."""

    def close(self) -> None: ...


class NotificationListener:
    """Listens until it is closed; connects again by itself, and then notifies of every topic, for some may have been
    missed.

    After ``quiet`` seconds without a message the server is asked whether it is still there.
    """

    def __init__(
        self,
        subscribe: Callable[[], Subscription],
        heard: Callable[[Topic], None],
        *,
        filled: Callable[[str], None] | None = None,
        topics: Collection[Topic] = ALL_TOPICS,
        quiet: float = QUIET,
    ) -> None:
        self._subscribe = subscribe
        self._heard = heard
        self._filled = filled
        self._quiet = quiet
        self._wanted = frozenset(topics)
        self._followed: frozenset[Topic] = frozenset()
        self._is_doubted = False
        self._is_prompted = False
        """Whether the thread will read what is wanted: a socket that is not read for long must not become full."""
        self._pause = 0.0
        """Seconds before the next attempt to connect."""
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
            self._prompt()

    def close(self) -> None:
        """No notification comes after this has returned."""
        with self._telling:
            if self._stopped.is_set():
                return
            self._stopped.set()
        self._prompt()  # closing alone goes unnoticed while a forked child has it open too
        self._wake.close()
        if self._thread is not current_thread():
            self._thread.join(_FAREWELL)

    def _prompt(self) -> None:
        with suppress(OSError):  # the thread has ended
            self._wake.send(b"x")

    def _run(self) -> None:
        with self._woken:
            while not clock.wait(self._stopped, self._pause):
                try:
                    self._listen()
                except CannotListen as why:
                    log.info("%s", why)
                    return
                except (Away, WindlassError, OSError):  # the callers of the store say what is wrong with it
                    # With jitter: all processes lose a server at the same time.
                    self._pause = min(_LONGEST_PAUSE, max(_FIRST_PAUSE, self._pause * 2)) * (0.5 + clock.roll() / 2)

    def _listen(self) -> None:
        """Until we are closed, or the connection breaks."""
        subscription = self._subscribe()
        try:
            self._attend(subscription)
        finally:
            self._followed, self._is_doubted = frozenset(), False
            subscription.close()

    def _attend(self, subscription: Subscription) -> None:
        either = poll()  # unlike select, it takes the descriptors of programs that have very many
        server, prompt = subscription.fileno(), self._woken.fileno()
        for source in (server, prompt):
            either.register(source, POLLIN)
        liveness = ConnectionLiveness(clock.monotonic(), quiet=self._quiet)
        while not self._stopped.is_set():
            self._tell(subscription.follow(self._wanted), subscription)
            # Rounded up: ``poll`` would come back a little early again and again.
            ready = dict(either.poll(ceil(liveness.pause(clock.monotonic()) * 1000)))
            if prompt in ready:
                self._is_prompted = False  # before what is wanted is read
                self._woken.recv(_AT_ONCE)
            if server in ready:  # and only then: the answer to a ping, read without this note, would count as missing
                liveness.note_word(clock.monotonic())
                self._is_doubted = False
                self._tell(subscription.read(), subscription)
            elif not ready:
                self._look_after(subscription, liveness)

    def _look_after(self, subscription: Subscription, liveness: ConnectionLiveness) -> None:
        now = clock.monotonic()
        match liveness.judge(now):
            case Finding.ASK:
                subscription.ping()
                liveness.note_question(now)
            case Finding.DOUBT:
                self._is_doubted = True
                self._tell([(topic, "") for topic in self._followed], subscription)
            case Finding.OVER:
                raise Away("the server has fallen silent")
            case Finding.NOTHING:
                pass

    def _tell(self, notifications: Iterable[Notification], subscription: Subscription) -> None:
        for topic, queue in notifications:
            # Before listeners are notified: they may ask. A notification starts the pauses anew.
            self._followed, self._pause = subscription.followed, 0.0
            with self._telling:
                if self._stopped.is_set() or topic not in self._wanted:
                    continue
                if self._filled is not None and queue:
                    self._filled(queue)
                else:
                    self._heard(topic)
        self._followed = subscription.followed
