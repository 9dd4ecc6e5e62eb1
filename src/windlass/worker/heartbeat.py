"""Keeps the lease alive and brings what others want of this worker. Shares no thread with user code."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Protocol

from windlass import clock
from windlass.errors import StoreUnavailable
from windlass.session import Session
from windlass.store.leases import Control, Presence, Renewed, close_lease, control, open_lease, renew
from windlass.worker.run import Run

log = logging.getLogger("windlass.worker")

_CONTROL = 1.0


class Steered(Protocol):
    """What a heartbeat can tell its worker."""

    @property
    def state(self) -> str: ...
    def presence(self) -> Presence: ...
    def running(self) -> list[Run]: ...
    def lease_lost(self) -> None: ...
    def runs_lost(self, runs: list[Run]) -> None: ...
    def obey(self, control: Control) -> None: ...


class Heartbeat:
    """``tick()`` renews when it is time, asks for control once a second, and says when to come back."""

    def __init__(
        self,
        *,
        session: Session,
        worker: Steered,
        instance: str,
        new_lease: Callable[[], str],
        ttl: float,
        interval: float,
        failures_allowed: int,
    ) -> None:
        self._session = session
        self._worker = worker
        self._instance = instance
        self._new_lease = new_lease
        self._ttl = ttl
        self._interval = interval
        self._failures_allowed = failures_allowed
        self._failures = 0
        self._renewed = 0.0
        self._asked = 0.0
        self._is_open = False
        self._shown = ""
        self.lease = ""

    def open(self) -> None:
        """Open a lease, and learn what is set before the first claim; raises when the store is away."""
        lease, presence = self._new_lease(), self._worker.presence()
        self._shown = presence.state
        self._session.run(open_lease(presence, lease=lease, ttl=round(self._ttl * 1000)))
        self.lease, self._renewed, self._failures, self._is_open = lease, clock.monotonic(), 0, True
        self._ask()

    def close(self) -> None:
        """Leave cleanly."""
        self._session.run(close_lease(worker=self._instance, lease=self.lease))
        self._is_open = False

    def tick(self) -> float:
        """One round; the seconds until the next."""
        now = clock.monotonic()
        try:
            if not self._is_open:
                self.open()
            elif now - self._renewed >= self._interval or self._shows_what_is_over():
                self._renew()
            if now - self._asked >= _CONTROL:
                self._ask()
            self._failures = 0
        except StoreUnavailable as error:
            self._missed(error)
        return min(_CONTROL, self._interval) / 2

    def _shows_what_is_over(self) -> bool:
        """Whether people see a state that was left; idle and busy change too often to be told at once."""
        state = self._worker.state
        return state != self._shown and not {state, self._shown} <= {"idle", "busy"}

    def _renew(self) -> None:
        before = clock.monotonic()
        running, presence = self._worker.running(), self._worker.presence()
        renewed = self._session.run(renew(presence, lease=self.lease))
        self._shown = presence.state
        if not renewed.is_open:
            self._lost("the store refused to renew it: its jobs were rescued")
            return
        # Counted from before the call, so that our idea of the lease's end is never later than the store's.
        self._renewed = before
        self._stop_lost_runs(running, renewed)

    def _stop_lost_runs(self, running: list[Run], renewed: Renewed) -> None:
        missing = [run for run in running if (run.job.seq, run.job.fence) not in renewed.held]
        if missing:
            # Those that ended meanwhile are missing because we ended them.
            still_running = set(self._worker.running())
            self._worker.runs_lost([run for run in missing if run in still_running])

    def _ask(self) -> None:
        self._asked = clock.monotonic()
        asked = self._session.run(control(worker=self._instance, lease=self.lease))
        if not asked.is_open:
            self._lost("the store does not know it any more")
            return
        self._worker.obey(asked)

    def _missed(self, error: StoreUnavailable) -> None:
        if not self._is_open:
            return  # that was said when the lease was lost
        self._failures += 1
        log.warning("heartbeat failed (%s in a row): %s", self._failures, error)
        overdue = clock.monotonic() - self._renewed >= self._ttl
        if overdue or self._failures >= self._failures_allowed:
            self._lost(f"it could not be renewed: {error}")

    def _lost(self, why: str) -> None:
        log.error("lease lost: %s; stopping its jobs and opening a new one", why)
        # Nothing may be claimed under a lease that nobody renews.
        self._is_open, self.lease = False, ""
        self._worker.lease_lost()
