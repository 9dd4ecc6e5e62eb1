"""Sends what was gathered, as one row."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Lock

from windlass.client.session import Session
from windlass.core.figures.row import Row
from windlass.errors import StoreUnavailable, WindlassError
from windlass.store.operations.figures.rows import append_row
from windlass.worker.figures.gatherer import Gatherer

log = logging.getLogger("windlass.worker")

_EVERY = 2.0


class FigureSender:
    """Every process does it, on a thread of its own. Nothing is sent where nothing has happened.

    A row whose sending got no reply is sent again under its number, which the store counts once.
    """

    name = "figures"
    needs_lead = False
    did = ""

    def __init__(
        self,
        *,
        session: Session,
        gatherer: Gatherer,
        instance: str,
        now: Callable[[], int],
        report: Callable[[], None] = lambda: None,
    ) -> None:
        """``report`` is called with every round: it logs a line a minute."""
        self._session = session
        self._gatherer = gatherer
        self.totals = gatherer.totals
        self._instance = instance
        self._now = now
        self._report = report
        self._unsent: Row | None = None
        self._number = 0
        self._lock = Lock()
        """At the end two threads may send: one that was not waited for, and the one that stops the worker."""

    def tick(self) -> float:
        self._send()
        self._report()
        return _EVERY

    def flush(self) -> None:
        """Send everything, at the end; what cannot be sent is lost, which costs charts some seconds and no job."""
        try:
            while self._send():
                pass
        except WindlassError as error:
            log.warning("the figures of the last seconds are lost: %s", error)

    def _send(self) -> bool:
        with self._lock:
            return self._send_one()

    def _send_one(self) -> bool:
        if self._unsent is None:
            self._unsent = self._gatherer.take()
            self._number = max(self._number + 1, self._now())
        if self._unsent is None:
            return False
        try:
            self._session.run(append_row(self._unsent, worker=self._instance, number=self._number))
        except StoreUnavailable:
            raise
        except WindlassError as error:  # a row that the store rejects now would be rejected later too
            log.warning("figures could not be stored and are left out: %s", error)
        self._unsent = None
        return True
