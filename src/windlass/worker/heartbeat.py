"""Keeps the lease alive and brings what others want of this worker. Shares no thread with user code."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from typing import Protocol

from windlass import clock
from windlass.errors import StoreUnavailable
from windlass.session import Session
from windlass.store.leases import Control, Presence, Renewed, close_lease, control, open_lease, renew
from windlass.worker.run import Run

log = logging.getLogger("windlass.worker")

_CONTROL = 1.0

Held = tuple[int, int]
"""The seq and fence of a job that the store gave us."""


class Steered(Protocol):
    """What a heartbeat can tell its worker."""

    @property
    def state(self) -> str: ...
    def presence(self) -> Presence: ...
    def running(self) -> list[Run]: ...
    def holds(self) -> set[Held]: ...
    def lease_lost(self) -> None: ...
    def runs_lost(self, runs: list[Run]) -> None: ...
    def hand_back_strays(self, strays: Collection[Held]) -> None: ...
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
        self._failed = 0.0
        self._unknown: frozenset[Held] = frozenset()
        """What the store said at the last renewal that we hold, and we do not."""
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
        self._find_strays(renewed)

    def _stop_lost_runs(self, running: list[Run], renewed: Renewed) -> None:
        missing = [run for run in running if (run.job.seq, run.job.fence) not in renewed.held]
        if missing:
            # Those that ended meanwhile are missing because we ended them.
            still_running = set(self._worker.running())
            self._worker.runs_lost([run for run in missing if run in still_running])

    def _find_strays(self, renewed: Renewed) -> None:
        """Jobs that are ours by the store's account and that nobody here will ever run must not wait for ever.

        Once may be a claim under way; one that is unknown at two renewals in a row has gone astray.
        """
        unknown = renewed.held - self._worker.holds()
        strays = unknown & self._unknown
        self._unknown = unknown
        if strays:
            self._worker.hand_back_strays(strays)

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
        now = clock.monotonic()
        if not self._failures or now - self._failed >= self._interval:
            # A store that is away refuses at once; all refusals within one interval are one missed beat.
            self._failures, self._failed = self._failures + 1, now
            log.warning("heartbeat failed (%s in a row): %s", self._failures, error)
        overdue = now - self._renewed >= self._ttl
        if overdue or self._failures >= self._failures_allowed:
            self._lost(f"it could not be renewed: {error}")

    def _lost(self, why: str) -> None:
        log.error("lease lost: %s; stopping its jobs and opening a new one", why)
        # Nothing may be claimed under a lease that nobody renews.
        self._is_open, self.lease = False, ""
        self._worker.lease_lost()
