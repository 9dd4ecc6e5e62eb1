"""Notifies other processes, rarely enough to cost nothing.

A notification after a quiet time goes out at once, on the caller's thread, so that it is not lost with a program that
ends right after its enqueue; a notification of jobs even in the transaction that stores them. What follows soon after
is sent by a thread, and what comes within one moment is one notification.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from threading import RLock, Thread

from windlass import clock
from windlass.errors import StartRefused, WindlassError
from windlass.forks import reset_in_child
from windlass.store.driver import Topic
from windlass.threads.start import start_thread
from windlass.threads.wakeup import Wakeup

_MOMENT = {Topic.WORK: 0.005, Topic.FINISHED: 0.02, Topic.CONTROL: 0.02, Topic.BACKLOG: 0.02}
"""Seconds between two notifications at the least. Idle workers wait for work, so that goes out sooner."""
_QUIET = 0.05
"""After so many seconds without a notification the caller sends the next one."""
_IDLE = 5.0
"""After so many quiet seconds the thread ends; the next notification that has to wait starts another."""


class Notifier:
    """Sends each topic at most once in a moment, and never loses the last one of a burst."""

    def __init__(self, send: Callable[[Topic], None]) -> None:
        self._send = send
        self._start()
        reset_in_child(self, Notifier._start)

    def _start(self) -> None:
        self._lock = RLock()  # a finaliser may enqueue wherever it strikes, on our own thread too
        self._sent = dict.fromkeys(Topic, float("-inf"))
        self._waiting: set[Topic] = set()
        self._wake = Wakeup()
        self._thread: Thread | None = None
        self._is_closed = False

    def notify(self, topic: Topic) -> None:
        """Notify other processes, now or within a moment."""
        if topic in self._waiting:  # read without the lock: the busy path, and the answer can only be a moment old
            return
        with self._lock:
            now = clock.monotonic()
            if now - self._sent[topic] < _QUIET and self._has_thread():
                self._waiting.add(topic)
                self._wake.set()
                return
            self._sent[topic] = now
        self._try_to_send(topic)

    def goes_along(self, topic: Topic) -> bool:
        """Whether the caller is to send the notification together with its write, because there was none for a
        while.
        """
        with self._lock:
            now = clock.monotonic()
            if topic in self._waiting or now - self._sent[topic] < _QUIET:
                return False
            self._sent[topic] = now
            return True

    def was_not_sent(self, topic: Topic) -> None:
        """The write failed, and its notification with it: the next goes out at once."""
        with self._lock:
            self._sent[topic] = float("-inf")

    def close(self) -> None:
        """Send what waits, and stop."""
        with self._lock:
            self._is_closed = True
            thread, self._thread = self._thread, None
        self._wake.set()
        if thread is not None:
            thread.join()
        self._send_all(self._take(lambda topic: True))

    def _has_thread(self) -> bool:
        """Whether there is a thread that sends what waits; starts it. Without one the caller sends at once."""
        if self._thread is None and not self._is_closed:
            try:
                self._thread = start_thread(self._run, name="windlass-announcer")
            except StartRefused:
                return False
        return True

    def _run(self) -> None:
        while clock.wait(self._wake, _IDLE) and not self._is_closed:
            self._wake.clear()
            while self._waiting and not self._is_closed:
                self._send_all(self._take(self._is_due))
                self._pause()
        with self._lock:
            self._thread = None
            if not self._waiting:
                return
            if self._has_thread():  # notified between the last check and the lock
                self._wake.set()
                return
        self._send_all(self._take(lambda topic: True))

    def _is_due(self, topic: Topic) -> bool:
        return self._due(topic) <= clock.monotonic()

    def _due(self, topic: Topic) -> float:
        return self._sent[topic] + _MOMENT[topic]

    def _pause(self) -> None:
        with self._lock:
            due = min(map(self._due, self._waiting), default=None)
        if due is not None:
            clock.sleep(max(0.0, due - clock.monotonic()))

    def _take(self, is_due: Callable[[Topic], bool]) -> set[Topic]:
        with self._lock:
            topics = set(filter(is_due, self._waiting))
            self._waiting -= topics
            self._sent.update(dict.fromkeys(topics, clock.monotonic()))
        return topics

    def _send_all(self, topics: set[Topic]) -> None:
        for topic in topics:
            self._try_to_send(topic)

    def _try_to_send(self, topic: Topic) -> None:
        with suppress(WindlassError):  # listeners check by themselves within a second
            self._send(topic)
