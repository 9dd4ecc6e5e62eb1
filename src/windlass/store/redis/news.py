"""Hearing of commits of other processes: one connection that listens to a channel for each topic."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from select import POLLIN, poll
from threading import RLock, current_thread

from redis.exceptions import RedisError

from windlass import clock
from windlass.errors import StartRefused, WindlassError
from windlass.store.breaker import Away
from windlass.store.driver import Topic
from windlass.store.keepalive import probe_often
from windlass.store.redis.wire import Unanswered, Wire
from windlass.thread_start import start_thread
from windlass.wake import Wake

_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 5.0
_FAREWELL = 0.5
"""How many seconds ``close`` waits for the thread, which may be waiting for a server that does not answer."""


def channels(prefix: str) -> dict[Topic, str]:
    """The channel of each topic; scripts that add jobs know that of new work. Plain ones: in a cluster every node hears
    them, and they are few.
    """
    return {topic: f"{prefix}news:{topic.value}" for topic in Topic}


class RedisNews:
    """Listens on a thread of its own, and comes back by itself after every interruption.

    ``patience`` is how many seconds the server may take for an answer; after ``quiet`` seconds without a word it is
    asked whether it is still there.
    """

    def __init__(
        self,
        connect: Callable[[float], Wire],
        heard: Callable[[Topic], None],
        *,
        filled: Callable[[str], None] | None = None,
        prefix: str,
        patience: float,
        quiet: float = 10.0,
    ) -> None:
        self._connect = connect
        self._quiet = quiet
        self._heard = heard
        self._filled = filled
        self._topics: Mapping[str, Topic] = {channel: topic for topic, channel in channels(prefix).items()}
        self._patience = patience
        self._is_listening = False
        self._stopped = Wake()
        self._telling = RLock()  # a listener may close us
        self._wake, self._woken = socket.socketpair()
        try:
            self._thread = start_thread(self._run, name="windlass-news")
        except StartRefused:
            self._wake.close()
            self._woken.close()
            raise

    def hears(self, topic: Topic) -> bool:
        return self._is_listening

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
        pause, is_back = _FIRST_PAUSE, False
        with self._woken:
            while not self._stopped.is_set():
                try:
                    self._listen(is_back=is_back)
                    return
                except (RedisError, WindlassError, Away, Unanswered, OSError) as error:
                    # Whoever calls the store says what is wrong with it. Having been connected starts the pauses anew.
                    pause = min(pause * 2, _LONGEST_PAUSE) if not isinstance(error, Unanswered) else _FIRST_PAUSE
                    is_back = True
                clock.wait(self._stopped, pause * (0.5 + clock.roll()))

    def _listen(self, *, is_back: bool) -> None:
        """Until we are closed, or the connection breaks."""
        wire = self._connect(clock.monotonic() + self._patience)
        try:
            probe_often(wire.fileno())
            until = clock.monotonic() + self._patience
            wire.ask("SUBSCRIBE", *self._topics, until=until)
            self._is_listening = True
            if is_back:  # something may have been told while nobody listened
                for topic in Topic:
                    self._tell(topic)
            self._follow(wire)
        finally:
            self._is_listening = False
            wire.close()

    def _follow(self, wire: Wire) -> None:
        said_something = poll()  # unlike select, it takes the descriptors of programs that have very many
        for source in (wire.fileno(), self._woken.fileno()):
            said_something.register(source, POLLIN)
        is_asked = False
        while not self._stopped.is_set():
            while wire.has_more:
                is_asked = False
                said = wire.read(until=clock.monotonic() + self._patience)
                if said[0] == "message":
                    self._tell(self._topics[said[1]], said[2])
            if not said_something.poll(self._quiet * 1000):
                if is_asked:
                    raise Unanswered("the server has fallen silent")
                wire.send("PING", until=clock.monotonic() + self._patience)
                is_asked = True

    def _tell(self, topic: Topic, queue: str = "") -> None:
        with self._telling:
            if not self._stopped.is_set():
                if self._filled is not None and queue:
                    self._filled(queue)
                else:
                    self._heard(topic)
