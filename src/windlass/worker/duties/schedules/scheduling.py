"""The duty: fires the slots of schedules, one leader for all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from windlass.client.session import Session
from windlass.schedules.fires import fires_of
from windlass.store.driver import Topic
from windlass.worker.duties.leader import Leadership
from windlass.worker.duties.schedules.firing import Fired, Firing

_LONGEST_PAUSE = 1.0
"""Seconds; a schedule that others add or change is noticed within them."""
_WHILE_WAITING = 0.2
"""Seconds until the next try where schedules that are due could not be fired."""

_DEEDS = {
    "made": "fired",
    "held": "kept back",
    "stays": "kept back",
    "overlap": "skipped",
    "unique": "skipped",
    "queue_full": "skipped",
    "noted": "noted",
    "repeated": "noted",
}
"""What became of steps, in a word."""


class Scheduling:
    """The leader does it. A round fires one page of what is due; each fire is refused unless its term still leads."""

    name = "scheduling"
    needs_lead = True

    def __init__(
        self,
        *,
        session: Session,
        leadership: Leadership,
        firing: Firing,
        poll_here: Callable[[], None] = lambda: None,
        count_fires: Callable[[str, str, int], None] = lambda schedule, outcome, number: None,
    ) -> None:
        """``poll_here`` has the worker of this process, if there is one, claim jobs."""
        self._session = session
        self._leadership = leadership
        self._firing = firing
        self._poll_here = poll_here
        self._count_fires = count_fires
        self.did = ""

    def tick(self) -> float:
        lead = self._leadership.term
        if lead is None:
            return _LONGEST_PAUSE
        done = self._firing.round(lead)
        if done.fired:
            self._tell(done.fired)
        if not done.leads:
            return _LONGEST_PAUSE
        if done.is_waiting:
            return _WHILE_WAITING
        if done.fired:
            return 0.0
        return _LONGEST_PAUSE if done.next_in is None else min(_LONGEST_PAUSE, max(0, done.next_in) / 1000)

    def _tell(self, fired: list[Fired]) -> None:
        verdicts = Counter(one.result.verdict for one in fired)
        done = Counter(_DEEDS[one.result.verdict] for one in fired)
        self.did = ", ".join(f"{deed} {done[deed]:,}" for deed in dict.fromkeys(_DEEDS.values()) if done[deed])
        for one in fired:
            for fire in fires_of(one.step, one.result, at=0):
                self._count_fires(fire.schedule, fire.outcome, fire.count)
        if verdicts["made"]:
            self._poll_here()
            self._session.notify(Topic.WORK)
