"""The duty: a round every ten seconds."""

from __future__ import annotations

from windlass.client.session import Session
from windlass.worker.duties.alerts.mutes import end_mutes
from windlass.worker.duties.alerts.round import AlertRounds
from windlass.worker.duties.leader import Leadership

_EVERY = 10.0


class AlertEvaluation:
    """The leader does it. What it writes is refused unless its term still leads, so each alert fires once.

    Nothing is sent here: what is to be delivered is stored with the alert, and a duty of its own delivers it, so that a
    receiver that does not answer holds no rule up.
    """

    name = "alerts"
    needs_lead = True

    def __init__(self, *, session: Session, leadership: Leadership, rounds: AlertRounds) -> None:
        self._session = session
        self._leadership = leadership
        self._rounds = rounds
        self.did = ""

    def tick(self) -> float:
        lead = self._leadership.term
        if lead is None:
            return _EVERY
        self._session.run(end_mutes())
        done = self._rounds.round(lead)
        if done is not None and (done.fired or done.resolved):
            self.did = f"fired {len(done.fired):,}, resolved {len(done.resolved):,}"
        return _EVERY
