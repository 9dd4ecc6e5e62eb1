"""Warns when the clocks of host and store disagree."""

from __future__ import annotations

import logging
from collections.abc import Callable

import msgspec

from windlass.client.session import Session
from windlass.errors import WindlassError
from windlass.store.operation import Lane
from windlass.store.operations.events import record_store_events

log = logging.getLogger("windlass.worker")

_TOLERATED = 5_000
"""Milliseconds."""


class ClockSkew:
    """Warns whenever the skew has changed by more than is tolerated; not at every reading.

    Windlass does not depend on this host's clock, so the worker goes on: but what its programs compute from the time,
    and the times in logs and errors, are wrong.
    """

    def __init__(self, *, session: Session, worker: str, now: Callable[[], int]) -> None:
        self._session = session
        self._worker = worker
        self._now = now
        self._warned_of = 0
        self.seconds = 0.0
        """By how much the clocks of host and store differ, at the least, as it was read last."""

    def now(self) -> int:
        """This host's clock."""
        return self._now()

    def judge(self, before: int, *, store: int) -> None:
        """``store`` is what the store's clock showed at some moment between ``before`` and now."""
        ahead = apart(before, self._now(), store)
        self.seconds = abs(ahead) / 1000
        if abs(ahead) > _TOLERATED:
            if abs(ahead - self._warned_of) > _TOLERATED:
                self._warned_of = ahead
                self._warn(ahead)
        elif self._warned_of and abs(ahead) < _TOLERATED / 2:  # well below, or it would be logged again and again
            self._warned_of = 0
            log.info("the clocks of this host and of the store agree again")

    def _warn(self, ahead: int) -> None:
        log.warning(
            "this host's clock is %.1f s %s the store's: leases and due times go by the store's, but what programs "
            "compute from the time here is wrong; is time synchronisation (NTP) at work on both?",
            abs(ahead) / 1000,
            "ahead of" if ahead > 0 else "behind",
        )
        detail = msgspec.json.encode({"seconds": ahead / 1000}).decode()
        try:
            self._session.run(record_store_events("skewed", [(self._worker, detail)], lane=Lane.HEARTBEAT))
        except WindlassError as error:  # must not pass for a heartbeat that failed
            log.info("could not record that in the store: %s", error)


def apart(before: int, after: int, store: int) -> int:
    """By how much a clock that showed these two is ahead of the store's, which was read in between; at the least."""
    if store < before:
        return before - store
    return min(0, after - store)
