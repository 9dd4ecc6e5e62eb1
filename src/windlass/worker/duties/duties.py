"""Runs all duties of one process, each on its own thread."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from threading import Lock

from msgspec import Struct

from windlass import clock
from windlass.client.session import Session
from windlass.errors import StoreUnavailable
from windlass.store.operations.upkeep.leader import still_leads
from windlass.worker.duties.duty import Duty
from windlass.worker.duties.leader import Leadership
from windlass.worker.duties.store_watch import StoreWatch
from windlass.worker.ticker import Ticker

log = logging.getLogger("windlass.duties")

_WHILE_AWAY = 1.0
"""Seconds between two tries while the store is away, and as many at random."""
_WITHOUT_LEAD = 1.0
"""Seconds between two checks whether this process leads by now; they do not ask the store."""
_HUNG_AFTER = 30.0
"""Seconds; a round makes few calls, and each of them has a deadline."""
_AFTER_NOTIFICATION = 0.02
"""How many seconds duties wait after a notification: most are of jobs that are due, and claiming those comes first."""


class Duties:
    """The threads of all duties, and the lead for those that need it."""

    def __init__(
        self,
        duties: Sequence[Duty],
        *,
        leadership: Leadership,
        session: Session,
        store_watch: StoreWatch,
        woken: Duty,
        watched: Duty | None = None,
    ) -> None:
        """``woken`` is the duty that ticks early after a notification of jobs. ``watched`` ticks as soon as this
        process leads, and a round of it that hangs costs the lead.
        """
        self._store_watch = store_watch
        self._leadership = leadership
        self._session = session
        self._timed = {duty.name: TimedDuty(duty) for duty in (leadership, *duties)}
        if watched is not None:
            leadership.is_hung = self._timed[watched.name].is_hung
        self._outage = _Outage("duties wait")
        woken_rounds = _Rounds(self._timed[woken.name], self._outage)
        self._wake = Ticker(woken_rounds.tick, name=woken.name, rest=_AFTER_NOTIFICATION)
        self.tickers = [self._wake if name == woken.name else self._ticker(duty) for name, duty in self._timed.items()]
        if watched is not None:
            [on_time] = [ticker for ticker in self.tickers if ticker.name == watched.name]
            leadership.on_taken = on_time.wake.set

    @property
    def peers(self) -> int:
        """How many workers served the same queues at the newest read."""
        return self._store_watch.peers

    @property
    def is_keeper(self) -> bool:
        """Whether this process is the keeper of the store, by the newest read."""
        return self._store_watch.is_keeper

    @property
    def leads_since(self) -> int | None:
        """Since when this process leads, in milliseconds since 1970; None while it does not."""
        return self._leadership.since

    def rounds(self) -> list[Round]:
        """The newest round of each duty that this process has done."""
        return [duty.newest for duty in self._timed.values() if duty.newest is not None]

    def notified(self) -> None:
        """There may be jobs that are due soon: the keeper of the store reads."""
        if self.is_keeper:
            self._wake.wake.set()

    def resign(self) -> None:
        """Let another process lead at once."""
        self._leadership.resign()

    def _ticker(self, duty: TimedDuty) -> Ticker:
        led = LedDuty(duty, leadership=self._leadership, session=self._session) if duty.needs_lead else duty
        return Ticker(_Rounds(led, self._outage).tick, name=duty.name)


class Round(Struct, frozen=True):
    """One round of a duty."""

    duty: str
    at: int
    """When it began, in milliseconds since 1970."""
    took: float
    """Seconds."""
    did: str
    """What the newest round did that found something to do."""


class TimedDuty:
    """Keeps when the newest round of a duty was and how long it took."""

    def __init__(self, duty: Duty, *, monotonic: Callable[[], float] = clock.monotonic) -> None:
        self._duty = duty
        self._monotonic = monotonic
        self.newest: Round | None = None
        self._began: float | None = None
        """When the round that is under way began, on the monotonic clock."""
        self.name, self.needs_lead = duty.name, duty.needs_lead

    @property
    def did(self) -> str:
        return self._duty.did

    def is_hung(self) -> bool:
        """Whether a round has been under way for longer than any takes."""
        began = self._began
        return began is not None and self._monotonic() - began > _HUNG_AFTER

    def tick(self) -> float:
        at = clock.now()
        self._began = began = self._monotonic()
        try:
            return self._duty.tick()
        finally:
            self._began = None
            self.newest = Round(self.name, at, self._monotonic() - began, self._duty.did)


def duty_ticker(duty: Duty) -> Ticker:
    """The thread of a duty that every process does."""
    return Ticker(_Rounds(duty, _Outage(f"{duty.name} waits")).tick, name=duty.name)


class LedDuty:
    """A duty that this process does while it leads.

    Each round asks the store whether the term still leads: a process that slept through the end of its term does no
    further round.
    """

    needs_lead = True

    def __init__(self, duty: Duty, *, leadership: Leadership, session: Session) -> None:
        self._duty = duty
        self._leadership = leadership
        self._session = session
        self.name = duty.name

    @property
    def did(self) -> str:
        return self._duty.did

    def tick(self) -> float:
        term = self._leadership.term
        if term is None or not self._session.run(still_leads(term)):
            return _WITHOUT_LEAD
        return self._duty.tick()


class _Outage:
    """The store is away: the first duty that notices logs it for all that share this."""

    def __init__(self, what_happens: str) -> None:
        self._what_happens = what_happens
        self._waiting: set[str] = set()
        """The duties whose newest round found no store."""
        self._changing = Lock()

    def noticed_by(self, duty: str, error: StoreUnavailable) -> None:
        with self._changing:
            is_first = not self._waiting
            is_new = duty not in self._waiting
            self._waiting.add(duty)
        if is_first:
            log.warning("store unavailable, %s: %s", self._what_happens, error, extra={"event": "store_away"})
        elif is_new:
            log.debug("store unavailable, %s waits too: %s", duty, error)

    def over_for(self, duty: str) -> None:
        if duty in self._waiting:
            with self._changing:
                self._waiting.discard(duty)


class _Rounds:
    """The rounds of one duty, through outages of the store."""

    def __init__(self, duty: Duty, outage: _Outage) -> None:
        self._duty = duty
        self._outage = outage

    def tick(self) -> float:
        try:
            pause = self._duty.tick()
        except StoreUnavailable as error:
            self._outage.noticed_by(self._duty.name, error)
            return _WHILE_AWAY * (0.5 + clock.roll())
        self._outage.over_for(self._duty.name)
        return pause
