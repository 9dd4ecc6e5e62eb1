"""Runs a worker until a signal or an order stops it."""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import current_thread, main_thread
from types import FrameType

from windlass.errors import ConfigError
from windlass.worker.process.forked_signals import reset_sigterm_in_forks
from windlass.worker.process.sighup import is_at_terminal, is_hangup_ours
from windlass.worker.process.stacks import StackSignal
from windlass.worker.worker import Worker

log = logging.getLogger("windlass.worker")

_STOPPING = (signal.SIGTERM, signal.SIGINT)
_PIECE = 0.5
_SHORT_PIECE = 0.05


class StopSignals:
    """The first SIGTERM or SIGINT asks for a stop, the second for a stop now. SIGHUP asks for a restart; with a
    terminal it asks for a stop, for the terminal was closed. SIGUSR1 and SIGUSR2 write stacks to stderr.
    """

    def __init__(self) -> None:
        self._count = 0
        self._is_at_terminal = False
        self._wants_restart = False
        # The handler may interrupt any line of the main thread: it may put into a SimpleQueue, but must not set an
        # Event.
        self._arrivals: SimpleQueue[int] = SimpleQueue()
        self._former: dict[int, object] = {}
        self._former_mask: set[int] = set()
        self._stacks = StackSignal()

    def __enter__(self) -> StopSignals:
        if current_thread() is not main_thread():
            raise ConfigError("signals reach only the main thread; elsewhere use `with app.worker(): ...`")
        reset_sigterm_in_forks(self._received)
        self._is_at_terminal = is_at_terminal()
        self._former = {number: signal.signal(number, self._received) for number in _STOPPING}
        if is_hangup_ours():
            self._former[signal.SIGHUP] = signal.signal(signal.SIGHUP, self._hung_up)
        self._former_mask = signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGHUP})
        self._stacks.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._stacks.__exit__()
        signal.pthread_sigmask(signal.SIG_SETMASK, self._former_mask)
        for number, handler in self._former.items():
            signal.signal(number, handler)  # type: ignore[arg-type]  # what signal.signal gave is what it takes

    def has_come(self) -> bool:
        """Whether a stop was asked for."""
        return self._count > 0

    def is_urgent(self) -> bool:
        """Whether a stop was asked for more than once."""
        return self._count > 1

    def wants_restart(self) -> bool:
        """Whether a restart was asked for."""
        return self._wants_restart

    def wait(self, *, unless: Callable[[], bool] = lambda: False, piece: float = _PIECE) -> None:
        """Block until the first signal, or until ``unless`` is true, which is checked every ``piece`` seconds."""
        # In pieces: the system may give the signal to any thread, and then nothing wakes this one to run the handler.
        while not (self.has_come() or unless()):
            with suppress(Empty):
                self._arrivals.get(timeout=piece)

    def _received(self, number: int, frame: FrameType | None) -> None:
        self._count += 1
        self._arrivals.put(number)

    def _hung_up(self, number: int, frame: FrameType | None) -> None:
        if self._is_at_terminal:
            self._count = max(self._count, 1)  # the shell and the system may both send it: not an urgent stop
        else:
            self._wants_restart = True
        self._arrivals.put(number)


Start = Callable[[Worker, StopSignals], bool]
"""Starts a worker; false when a signal came first."""


def start_at_once(worker: Worker, signals: StopSignals) -> bool:
    """Raises ``StoreUnavailable`` when the store is away."""
    worker.start()
    return True


def run_until_signalled(
    worker: Worker,
    *,
    start: Start = start_at_once,
    on_started: Callable[[], None] = lambda: None,
    is_at_limit: Callable[[], bool] = lambda: False,
) -> bool:
    """Start the worker, wait for a signal or an order to stop, and stop within the grace time, or at once on a second
    signal.

    ``on_started`` is called when the worker runs and signals are handled. True when a new process should go on, because
    of a recycling limit, of the worker itself or of SIGHUP, and neither a signal nor an order has asked for a stop; all
    runs have ended by themselves then.
    """
    with StopSignals() as signals:
        if start(worker, signals):
            on_started()
            _work(worker, signals, is_at_limit)
    # Read after signals are handled here no longer: none that came in time may be missed.
    return not (signals.has_come() or worker.is_asked_to_stop)


def _work(worker: Worker, signals: StopSignals, is_at_limit: Callable[[], bool]) -> None:
    signals.wait(
        unless=lambda: worker.is_asked_to_stop or worker.wants_restart or signals.wants_restart() or is_at_limit()
    )
    if not (signals.has_come() or worker.is_asked_to_stop):
        worker.drain()  # before the next line is logged: what comes after it is for the fresh process
        log.info("claiming no more; a fresh process goes on when what runs has ended")
        signals.wait(unless=lambda: worker.is_drained or worker.is_asked_to_stop, piece=_SHORT_PIECE)
    if signals.has_come():
        worker.drain()  # likewise
        log.info("stopping: finishing what runs; another SIGTERM or SIGINT stops it now")
    worker.stop(is_urgent=signals.is_urgent)


def run_burst(worker: Worker, *, start: Start = start_at_once, on_started: Callable[[], None] = lambda: None) -> int:
    """Run what is ready, then stop; a signal or an order stops it as any worker. Returns how many runs ended."""
    with StopSignals() as signals:
        if start(worker, signals):
            on_started()
            worker.run_until_empty(is_over=lambda: signals.has_come() or signals.wants_restart())
        worker.stop(is_urgent=signals.is_urgent)
    return worker.ended_count  # counts what ended while it stopped
