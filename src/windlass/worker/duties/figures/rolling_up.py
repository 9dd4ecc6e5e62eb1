"""The duty: merges rows into buckets and removes old ones."""

from __future__ import annotations

from collections.abc import Callable

from windlass.client.session import Session
from windlass.store.operations.figures.roll_up import remove_old, roll_up
from windlass.worker.duties.figures.sampler import EVERY, Sampler

_PAGES = 10
"""How many pages of rows one round merges."""
_PRUNE_EVERY = 60.0


class RollingUp:
    """The leader does it, every ten seconds. Two processes may do it at the same time: the store refuses a page that
    has changed since it was read.
    """

    name = "roll-up"
    needs_lead = True

    def __init__(self, *, session: Session, monotonic: Callable[[], float]) -> None:
        self._session = session
        self._monotonic = monotonic
        self._sampler = Sampler(session=session, monotonic=monotonic)
        self._prune_due = monotonic()
        self._share = 1.0
        self.did = ""

    def tick(self) -> float:
        done = self._session.run(roll_up(self._sampler.sample(), pages=_PAGES))
        if self._monotonic() >= self._prune_due:
            _, self._share = self._session.run(remove_old(self._share))
            self._prune_due = self._monotonic() + _PRUNE_EVERY
        if not done.rows:
            return EVERY
        self.did = "merged figures"
        return 1.0 if done.has_more else EVERY
