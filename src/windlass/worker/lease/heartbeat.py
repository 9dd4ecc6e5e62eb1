"""Renews the lease and reads orders; shares no thread with user code."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Lock

from msgspec import Struct

from windlass import clock
from windlass.client.session import Session
from windlass.errors import StoreUnavailable
from windlass.store.driver import Topic
from windlass.store.operations.leases import STOP, Renewed, close_lease, control, open_lease, renew, report_worker
from windlass.worker.lease.clock_skew import ClockSkew
from windlass.worker.lease.control import WorkerControl
from windlass.worker.runs.run import Run
from windlass.worker.status import StatusReporter

log = logging.getLogger("windlass.worker")

_CONTROL = 1.0
_CONTROL_AT_REST = 5.0
"""Seconds between two reads of orders by an idle worker that is notified of new ones."""
_FIGURES = 1.5
"""Seconds between two writes of figures that change: with the pause between two rounds, the figures in the store are
never older than two seconds.
"""


class HeartbeatTimes(Struct, frozen=True):
    """How long a lease lasts, how often it is renewed, and how many beats may be missed; in seconds."""

    ttl: float
    interval: float
    failures_allowed: int


class Heartbeat:
    """``tick()`` renews when it is time, reads orders after a notification or once a second, and returns the seconds
    until the next tick. An idle worker that gets notifications reads orders seldom. Figures that have changed are
    written in between; those of an idle worker do not change.
    """

    def __init__(
        self,
        *,
        session: Session,
        control: WorkerControl,
        status_reporter: StatusReporter,
        skew: ClockSkew,
        new_lease: Callable[[], str],
        beats: HeartbeatTimes,
        monotonic: Callable[[], float] = clock.monotonic,
    ) -> None:
        self._session = session
        self._control = control
        self._status = status_reporter
        self._skew = skew
        self._new_lease = new_lease
        self._beats = beats
        self._monotonic = monotonic
        self._failures = 0
        self._failed = 0.0
        self._renewed = 0.0
        self._asked = 0.0
        self._shown_at = 0.0
        self._unanswered: float | None = None
        """When the oldest call without a reply was sent, on the monotonic clock."""
        self._is_open = False
        self._shown = ""
        self._lock = Lock()
        """Guards what ``check`` and ``tick`` both change: the lease, and when it was renewed."""
        self._is_under_way = False
        self._is_asked = False
        self.lease = ""
        self.ticked = 0.0
        """When the newest round began, on the monotonic clock."""
        self._answered = 0.0

    def open(self) -> None:
        """Open a lease, and read orders before the first claim; raises when the store is away."""
        lease, presence = self._new_lease(), self._status.presence()
        self._shown = presence.state
        opening = self._shown_at = self._monotonic()
        self._session.run(open_lease(presence, lease=lease, ttl=round(self._beats.ttl * 1000)))
        with self._lock:
            self.lease, self._renewed, self._failures, self._is_open = lease, opening, 0, True
        self._ask()

    def close(self) -> None:
        """Close the lease; a request to stop that came after the last read still counts."""
        signal = self._session.run(close_lease(worker=self._status.identity.instance, lease=self.lease))
        self._is_open = False
        if signal == STOP:
            self._control.is_asked_to_stop = True

    def tick(self) -> float:
        """One round; the seconds until the next."""
        now = self.ticked = self._monotonic()
        self._is_under_way = True
        try:
            if not self._is_open:
                self.open()
            elif now - self._renewed >= self._beats.interval or self._shows_old_state():
                self._renew()
            elif now - self._shown_at >= _FIGURES and self._status.is_outdated:
                self._show()
            if self._is_asked or now - self._asked >= self._control_interval:
                self._ask()
        except StoreUnavailable as error:
            self._missed(error)
        finally:
            self._is_under_way = False
        return min(_CONTROL, self._beats.interval) / 2

    def silence(self, now: float) -> float:
        """For how many seconds the store has not answered, or was not called although it was time."""
        if self._unanswered is not None:
            return now - self._unanswered
        return max(0.0, now - self._answered - _CONTROL_AT_REST)

    def ask_soon(self) -> None:
        """Have the next round read orders, whenever they were read last."""
        self._is_asked = True

    def check(self, now: float) -> None:
        """Give up a lease that has expired while a renewal is without a reply; called from another thread.

        A tick that starts after expiry may still renew it: only a rescue ends a lease.
        """
        lease, end = self.lease, self._renewed + self._beats.ttl
        if self._is_open and self._is_under_way and self.ticked < end <= now:
            self._lose(lease, "the store does not answer, and it has expired")

    @property
    def _control_interval(self) -> float:
        is_at_rest = not self._control.is_busy and self._session.hears(Topic.CONTROL)
        return _CONTROL_AT_REST if is_at_rest else _CONTROL

    def _shows_old_state(self) -> bool:
        """Whether the stored state is out of date; idle and busy change too often to be written at once."""
        state = self._status.state
        return state != self._shown and not {state, self._shown} <= {"idle", "busy"}

    def _renew(self) -> None:
        before, lease = self._monotonic(), self.lease
        self._shown_at = before
        running, presence = self._control.running(), self._status.presence()
        renewed = self._session.run(renew(presence, lease=lease))
        self._shown, self._failures = presence.state, 0
        if not renewed.is_open:
            self._lose(lease, "the store refused to renew it: its jobs were rescued")
            return
        with self._lock:
            if self.lease != lease:
                return  # the reply came too late, the lease was given up meanwhile
            # Counted from before the call: here the lease never expires later than in the store.
            self._renewed = before
        self._stop_lost_runs(running, renewed)
        self._control.release_unknown(renewed.held)

    def _show(self) -> None:
        self._shown_at = self._monotonic()
        presence = self._status.presence()
        self._session.run(report_worker(presence, lease=self.lease))
        self._shown = presence.state

    def _stop_lost_runs(self, running: list[Run], renewed: Renewed) -> None:
        missing = [run for run in running if (run.job.seq, run.job.fence) not in renewed.held]
        if missing:
            # Those that ended meanwhile are missing because we ended them.
            still_running = set(self._control.running())
            self._control.stop_lost_runs([run for run in missing if run in still_running])

    def _ask(self) -> None:
        self._asked, self._is_asked, lease = self._monotonic(), False, self.lease
        if self._unanswered is None:
            self._unanswered = self._asked
        asking = self._skew.now()
        asked = self._session.run(control(worker=self._status.identity.instance, lease=lease))
        self._answered, self._unanswered, self._failures = self._monotonic(), None, 0
        self._skew.judge(asking, store=asked.now)
        if not asked.is_open:
            self._lose(lease, "the store has ended it")
            return
        self._control.apply(asked)
        self._status.stacks.ask(asked.stacks)
        self._control.count_sharers(self._asked)

    def _missed(self, error: StoreUnavailable) -> None:
        if not self._is_open:
            return  # logged when the lease was lost
        now = self._monotonic()
        if not self._failures or now - self._failed >= self._beats.interval:
            # A store that is away fails at once; all failures within one interval are one missed beat.
            self._failures, self._failed = self._failures + 1, now
            log.warning("heartbeat failed (%s in a row): %s", self._failures, error)
        overdue = now - self._renewed >= self._beats.ttl
        if overdue or self._failures >= self._beats.failures_allowed:
            self._lose(self.lease, f"it could not be renewed: {error}")

    def _lose(self, lease: str, why: str) -> None:
        with self._lock:
            if not self._is_open or self.lease != lease:
                return  # known already
            # Nothing may be claimed under a lease that is not renewed.
            self._is_open, self.lease = False, ""
        log.error("lease lost: %s; stopping its jobs and opening a new one", why, extra={"event": "lease_lost"})
        self._control.lease_lost()
