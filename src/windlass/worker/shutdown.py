"""Stops a worker: no more claims, grace time, release the rest, close the lease."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from windlass import clock
from windlass.errors import StartRefused, StoreUnavailable, WindlassError
from windlass.threads.start import start_thread
from windlass.threads.wakeup import Wakeup
from windlass.worker.duties.duties import Duties
from windlass.worker.fetch.pump import Pump
from windlass.worker.figures.sender import FigureSender
from windlass.worker.lease.control import WorkerControl
from windlass.worker.lease.heartbeat import Heartbeat
from windlass.worker.runs.dispatcher import Dispatcher
from windlass.worker.ticker import Ticker, stop_all

log = logging.getLogger("windlass.worker")

_LAST_ROUND = 0.1
_LOOK_AGAIN = 0.05
_CLOSE_AGAIN = 0.05
_CLOSE = 0.1
"""Seconds that are kept for closing the lease."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShutdownTimes:
    """How many seconds each step after the grace time may take. Together they stay below two seconds, within which a
    worker is gone whatever its store does.
    """

    last_lines: float = 0.25
    last_writes: float = 0.8
    last_call: float = 0.5


class Shutdown:
    """The end of one worker, step by step."""

    def __init__(
        self,
        *,
        pump: Pump,
        dispatcher: Dispatcher,
        control: WorkerControl,
        heartbeat: Heartbeat,
        duties: Duties | None,
        figures: FigureSender,
        rounds: Wakeup,
        shutdown_times: ShutdownTimes,
    ) -> None:
        self._pump = pump
        self._dispatcher = dispatcher
        self._control = control
        self._heartbeat = heartbeat
        self._duties = duties
        self._figures = figures
        self._rounds = rounds
        """Set whenever the pump has made a round."""
        self._shutdown_times = shutdown_times
        self._gone_by = 0.0
        """When the worker has to be gone, on the monotonic clock."""
        self._has_closed_lease = False

    def finish(self, *, grace: float, is_urgent: Callable[[], bool]) -> None:
        """Wait for runs to end, within the grace time; release the others. The pump drains already."""
        until = clock.monotonic() + grace
        self._wait_until(lambda: is_urgent() or self.is_done(), until)
        times = self._shutdown_times
        self._gone_by = clock.monotonic() + times.last_lines + times.last_writes + times.last_call
        self._control.stop_running()
        self._wait_until(lambda: not self._dispatcher.in_flight, clock.monotonic() + times.last_lines)
        self._control.release_running()
        self._wait_until(self.is_done, self._gone_by - times.last_call)

    def is_done(self) -> bool:
        """Whether nothing runs, waits or is on its way to or from the store."""
        return self._pump.is_idle and not self._dispatcher.is_busy

    def close(
        self,
        *,
        unsubscribe: Callable[[], None],
        background: Sequence[Ticker],
        essential: Sequence[Ticker],
        executors: Sequence[Callable[[], None]],
    ) -> None:
        """End all threads and close the lease, on a thread of its own: a store that is away may hold up any step, but
        not the process.

        ``unsubscribe`` ends notifications; ``background`` may be in the middle of something long and is not waited for;
        ``essential`` ends after its round; ``executors`` are closed last.
        """

        def shut_down() -> None:
            unsubscribe()
            stop_all(background, timeout=_LAST_ROUND)
            # A cycle that was still under way may bring in jobs. The rescue of a closed lease would charge them.
            self._wait_until(self.is_done, self._gone_by - _CLOSE)
            for ticker in essential:
                ticker.stop()
            self._close_lease()
            for end in executors:
                end()
            self._figures.flush()

        # Time that earlier steps did not need may be used here: with a slow store the lease is still closed.
        self._gone_by = max(self._gone_by, clock.monotonic() + self._shutdown_times.last_call)
        try:
            thread = start_thread(shut_down, name="windlass-shutdown")
        except StartRefused:
            shut_down()  # every call to the store has a deadline
            return
        thread.join(self._gone_by - clock.monotonic())
        if not self._has_closed_lease:
            log.warning("the store does not answer; the lease stays open, and its jobs are rescued when it expires")

    def _close_lease(self) -> None:
        try:
            self._close_while_time()
        except WindlassError as error:
            log.warning("could not close the lease; its jobs are rescued when it expires: %s", error)
        self._has_closed_lease = True

    def _close_while_time(self) -> None:
        """Repeat it while there is time: a store that is just back counts as away for another second."""
        while True:
            try:
                self._heartbeat.close()
                if self._duties is not None:
                    self._duties.resign()
            except StoreUnavailable:
                if clock.monotonic() + _CLOSE_AGAIN >= self._gone_by:
                    raise
            else:
                return
            clock.sleep(_CLOSE_AGAIN)

    def _wait_until(self, is_done: Callable[[], bool], until: float) -> None:
        self._pump.ended()
        while True:
            settled = self._pump.settled_count
            self._rounds.clear()
            left = until - clock.monotonic()
            if is_done() or left <= 0:
                return
            # Not after a round that found nothing to do: the pump would make the next one at once, while the jobs run.
            if not clock.wait(self._rounds, min(left, _LOOK_AGAIN)) or self._pump.settled_count != settled:
                self._pump.ended()
