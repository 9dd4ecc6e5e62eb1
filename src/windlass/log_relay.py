"""Log records of threads that must not wait for a log handler.

A handler is user code: it may hang, or wait for a lock that is never released. A thread that keeps leases alive or
fetches jobs hands its records to a thread of their own, which passes them to the handlers in the same order.
"""

from __future__ import annotations

import atexit
import logging
from queue import Empty, SimpleQueue
from threading import Lock, Thread, local

from windlass.forking import start_anew_in_child
from windlass.wake import Wake

LOGGERS = ("windlass.worker", "windlass.store", "windlass.duties")
_MOST = 10_000
"""How many records wait at the most, for a handler that hangs."""
_IDLE = 2.0
"""After so many quiet seconds the thread ends; the next record starts another."""
_AT_EXIT = 1.0

_Item = tuple[logging.Logger, logging.LogRecord] | Wake


class LogRelay(logging.Filter):
    """Stands at our loggers: takes what threads on duty log out of their hands."""

    def __init__(self) -> None:
        super().__init__()
        self._here = local()
        self._start()
        start_anew_in_child(self, LogRelay._start)

    def _start(self) -> None:
        self._items: SimpleQueue[_Item] = SimpleQueue()
        self._lock = Lock()
        self._thread: Thread | None = None
        self.dropped_count = 0
        """How many records found no room."""

    def take_over(self) -> None:
        """From now on the calling thread is on duty."""
        self._here.is_on_duty = True

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record may go to the handlers on this thread."""
        if not getattr(self._here, "is_on_duty", False):
            return True
        if self._items.qsize() >= _MOST:
            self.dropped_count += 1
        else:
            self._items.put((logging.getLogger(record.name), record))
            self._see_to_it()
        return False

    def flush(self, seconds: float) -> bool:
        """Wait until what was logged so far has reached the handlers; false when that takes longer."""
        if self._items.empty() and self._thread is None:
            return True
        passed = Wake()
        self._items.put(passed)
        self._see_to_it()
        return passed.wait(seconds)

    def _see_to_it(self) -> None:
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                thread = Thread(target=self._run, name="windlass-log", daemon=True)
                try:
                    thread.start()
                except RuntimeError:  # the system has no thread to give; the next record tries again
                    return
                self._thread = thread

    def _run(self) -> None:
        while True:
            try:
                item = self._items.get(timeout=_IDLE)
            except Empty:
                with self._lock:
                    if self._items.empty():
                        self._thread = None
                        return
                continue
            if isinstance(item, Wake):
                item.set()
            else:
                self._pass_on(*item)

    def _pass_on(self, logger: logging.Logger, record: logging.LogRecord) -> None:
        dropped, self.dropped_count = self.dropped_count, 0
        try:
            if dropped:
                logger.error("%s log records were dropped while a log handler did not take any", dropped)
            logger.handle(record)
        except Exception:  # a handler of the user's may raise, and must not end the thread for the others
            if logging.lastResort is not None:
                logging.lastResort.handle(record)


relay = LogRelay()
for _name in LOGGERS:
    logging.getLogger(_name).addFilter(relay)
atexit.register(relay.flush, _AT_EXIT)
