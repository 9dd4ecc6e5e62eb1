"""Ends what a server process does beside serving, also while the store does not answer."""

from __future__ import annotations

import logging
from threading import Lock, Thread
from typing import TYPE_CHECKING

from windlass import clock
from windlass.app import Windlass
from windlass.errors import StartRefused
from windlass.threads.process_end import CLOSING_THREAD
from windlass.threads.start import start_thread

if TYPE_CHECKING:
    from windlass.worker.duties.standalone import DutiesBeside

log = logging.getLogger("windlass.web")

_WITHIN = 1.4
"""Seconds from the signal on. Two seconds after it the process is gone, whatever its store does."""
_CLOSING = 0.2
"""Seconds of these that are kept for the connections to close."""


class Ending:
    """Does duties for the length of a block; then ends them, closes the app, and waits for both as long as there is
    time.

    A call that hangs in the store is left behind. What it was to say is said by time: another process leads when the
    term is over, and the process leaves the list of workers when its lease expires.
    """

    def __init__(self, app: Windlass, duties: DutiesBeside | None) -> None:
        self._app = app
        self._duties = duties
        self._gone_by: float | None = None
        self._thread: Thread | None = None
        self._beginning = Lock()

    def __enter__(self) -> Ending:
        if self._duties is not None:
            self._duties.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.begin()
        until = self._gone_by or clock.monotonic()
        if self._thread is not None:
            self._thread.join(max(0.0, until - _CLOSING - clock.monotonic()))
        try:
            closing = start_thread(self._app.close, name=CLOSING_THREAD)
        except StartRefused:
            return  # the process ends, and with it whatever is open
        closing.join(max(_CLOSING, until - clock.monotonic()))
        if closing.is_alive() or (self._thread is not None and self._thread.is_alive()):
            log.warning("the store does not answer; another process does the duties when their term is over")

    def begin(self) -> None:
        """End the duties, beside the requests that are still under way; returns at once."""
        with self._beginning:
            if self._gone_by is not None:
                return
            self._gone_by = clock.monotonic() + _WITHIN
            if self._duties is not None:
                try:
                    self._thread = start_thread(self._duties.stop, name="windlass-duties-end")
                except StartRefused as error:
                    log.warning("the duties end without handing over, another process takes over in time: %s", error)
