"""Runs ``tick()`` in a loop on a thread: waiting and stopping are written once."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Thread

from windlass import clock
from windlass.threads.start import start_thread
from windlass.threads.wakeup import Wakeup

log = logging.getLogger("windlass.worker")


_AFTER_FAILURE = 1.0


def stop_all(tickers: Sequence[Ticker], *, timeout: float) -> None:
    """End all of them after the ticks under way, and wait that long at the most for all together."""
    for ticker in tickers:
        ticker.stop(timeout=0)
    until = clock.monotonic() + timeout
    for ticker in tickers:
        ticker.stop(timeout=max(0.0, until - clock.monotonic()))


class Ticker:
    """Calls ``tick`` from a thread of its own; a tick says how many seconds later the next one is due.

    ``wake`` brings the next tick forward, to ``rest`` seconds after the last. A tick that raises is logged and
    repeated: a service never dies of one bad round.
    """

    def __init__(self, tick: Callable[[], float], *, name: str, wake: Wakeup | None = None, rest: float = 0.0) -> None:
        self._tick = tick
        self._rest = rest
        self._name = name
        self._wake = wake or Wakeup()
        self._stopped = Wakeup()
        self._thread: Thread | None = None
        self.ticked = 0.0
        """When the newest tick began, on the monotonic clock."""

    @property
    def wake(self) -> Wakeup:
        return self._wake

    @property
    def name(self) -> str:
        return self._name

    @property
    def is_alive(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    @property
    def has_died(self) -> bool:
        """Whether its thread ended without being stopped."""
        return self._thread is not None and not (self._thread.is_alive() or self._stopped.is_set())

    def start(self) -> None:
        """Raises ``StartRefused``. One that has died or was stopped may be started again."""
        before, self._thread = self._thread, None  # one that was stopped must not be taken for dead meanwhile
        self._stopped.clear()
        self.ticked = clock.monotonic()
        try:
            self._thread = start_thread(self._run, name=f"windlass-{self._name}")
        except BaseException:
            self._thread = before
            raise

    def stop(self, *, timeout: float | None = None) -> bool:
        """End after the tick under way; false when that takes longer than ``timeout``."""
        self._stopped.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join(timeout)
        return not self.is_alive

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                self.ticked = clock.monotonic()
                if clock.wait(self._wake, max(0.0, self._tick())) and self._rest:
                    clock.wait(self._stopped, self._rest)
            except BaseException:  # the top of a service: it must outlive any exception of a round, also SystemExit
                if not self._stopped.is_set():
                    with suppress(Exception):  # a log handler of the user's may raise
                        log.exception("%s failed, trying again", self._name)
                # Not woken early: what wakes it most likely makes it fail again.
                clock.wait(self._stopped, _AFTER_FAILURE)
            self._wake.clear()
