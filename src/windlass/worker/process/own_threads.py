"""Watches the worker's own threads; one that dies is restarted or stops the worker."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from threading import Lock

from windlass.errors import StartRefused
from windlass.worker.ticker import Ticker

log = logging.getLogger("windlass.worker")

DEATHS_ALLOWED = 5
"""With so many threads of its own that ended unexpectedly a worker is no longer fit for work."""


class OwnThreads:
    """Starts them together, and restarts those that ended without being stopped.

    ``check`` is called from two of them, so that each is watched by another.
    """

    def __init__(self, tickers: Sequence[Ticker]) -> None:
        self._tickers = tickers
        self._checking = Lock()
        self._logged: set[str] = set()
        """Dead threads that were logged and could not be restarted yet."""
        self.deaths = 0
        """How many ended unexpectedly."""

    def start(self) -> None:
        """Start all, in their order, or none: raises ``StartRefused``."""
        try:
            for ticker in self._tickers:
                ticker.start()
        except BaseException:
            for ticker in self._tickers:
                ticker.stop()
            raise

    def check(self) -> None:
        """Restart threads that have died."""
        if not any(ticker.has_died for ticker in self._tickers) or not self._checking.acquire(blocking=False):
            return
        try:
            for ticker in self._tickers:
                if ticker.has_died:
                    self._revive(ticker)
        finally:
            self._checking.release()

    def trouble(self) -> str | None:
        """Which thread is missing at this moment, or None."""
        dead = [ticker.name for ticker in self._tickers if ticker.has_died]
        return f"threads of the worker have ended: {', '.join(dead)}" if dead else None

    def _revive(self, ticker: Ticker) -> None:
        if ticker.name not in self._logged:
            self._logged.add(ticker.name)
            self.deaths += 1
            log.critical("the thread %s of this worker has ended unexpectedly; starting it again", ticker.name)
        with suppress(StartRefused):  # it is tried again at the next check
            ticker.start()
            self._logged.discard(ticker.name)
