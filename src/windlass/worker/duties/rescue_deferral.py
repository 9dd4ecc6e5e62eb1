"""Defers rescues while live workers may not have renewed their leases."""

from __future__ import annotations

from windlass import clock


class RescueDeferral:
    """After an outage, and after a step of the store's clock, no lease is ended before live workers had the time to
    renew theirs. ``beat`` is a heartbeat in seconds.
    """

    def __init__(self, *, beat: float) -> None:
        self._beat = beat
        self._is_away = False
        self._until = 0.0

    @property
    def is_active(self) -> bool:
        """Whether no lease may be ended yet."""
        return self._is_away or clock.monotonic() < self._until

    def note_outage(self) -> None:
        """The store was away: other workers could not renew either."""
        self._is_away = True

    def note_answer(self) -> None:
        """The store has answered; after an outage the other workers renew within a heartbeat."""
        if self._is_away:
            self._is_away = False
            self._defer(self._beat)

    def note_clock_step(self) -> float:
        """By a clock that was stepped every lease may have expired; for how many seconds none is ended."""
        # A worker that has just renewed does so again after one heartbeat and the pause until its next round.
        patience = 2 * self._beat
        self._defer(patience)
        return patience

    def _defer(self, seconds: float) -> None:
        self._until = max(self._until, clock.monotonic() + seconds)
