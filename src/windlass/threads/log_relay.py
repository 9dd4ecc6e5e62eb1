"""Passes log records to a thread of their own, so that no loop waits for a log handler.

A handler is user code: it may hang, or wait for a lock that is never released. A thread that keeps leases alive or
fetches jobs hands its records to a thread of their own, which passes them to the handlers in the same order.

Lines that come by the thousand, one for every ended run, wait in a backlog instead. The same thread makes their
records, a few at a time. While the process has much to do it rests in between: it takes a small share of one processor
then, however many lines there are.
"""

from __future__ import annotations

import atexit
import logging
from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Lock, Thread, local
from time import monotonic, process_time, thread_time  # noqa: TID251  # the clock is above us
from typing import Protocol, runtime_checkable

from windlass.forks import reset_in_child
from windlass.threads.wakeup import Wakeup

LOGGERS = (
    "windlass",
    "windlass.alerts",
    "windlass.duties",
    "windlass.store",
    "windlass.store.calls",
    "windlass.worker",
)
"""Those of threads that keep leases alive, fetch jobs or do duties. A filter is not inherited, so each is named."""
JOBS_LOGGER = "windlass.worker.jobs"
"""The logger of the lines for ended runs."""
_MOST = 10_000
"""How many records wait at the most, for a handler that hangs."""
_IDLE = 2.0
"""After so many quiet seconds the thread ends; the next record starts another."""
_AT_EXIT = 1.0

_SLICE = 20
"""How many records of a backlog are written before the thread rests: other threads wait for the interpreter
meanwhile.
"""
_BUSY = 0.1
"""The share of a processor above which the process has much to do."""
_BUSY_REST = 199
"""In a process that has much to do the thread rests so many times as long as a slice took: its share of a processor is
half a percent.
"""
_CALM_REST = 4
"""In any other process the thread rests four times as long as a slice took: its share of a processor is a fifth at the
most. Without a rest it would keep other threads from running, and the process would seem idle.
"""


_SPAN = 0.05
"""The shortest time in seconds over which that share is measured."""


@runtime_checkable
class BatchHandler(Protocol):
    """A log handler that writes many records at once; a write of its own for each costs more than making them."""

    def handle_all(self, records: list[logging.LogRecord]) -> None: ...


class LogBacklog(Protocol):
    """Records that are made only when they are written."""

    @property
    def logger(self) -> logging.Logger: ...

    def take(self, most: int) -> list[logging.LogRecord]:
        """The next records; none when nothing waits, and then the backlog has to be handed to the relay again."""


_Item = tuple[logging.Logger, logging.LogRecord] | Wakeup | LogBacklog


class LogRelay(logging.Filter):
    """A filter of our loggers that takes over the records of threads which must not wait for handlers."""

    def __init__(
        self,
        *,
        monotonic: Callable[[], float] = monotonic,
        thread_time: Callable[[], float] = thread_time,
        process_time: Callable[[], float] = process_time,
    ) -> None:
        super().__init__()
        self._monotonic = monotonic
        self._thread_time = thread_time
        self._process_time = process_time
        self._here = local()
        self._start()
        reset_in_child(self, LogRelay._start)

    def _start(self) -> None:
        self._items: SimpleQueue[_Item] = SimpleQueue()
        self._lock = Lock()
        self._thread: Thread | None = None
        self._backlogs: dict[LogBacklog, None] = {}
        self._rested = 0.0
        """When the next slice may be written, on the monotonic clock."""
        self._is_busy = True
        self._measured = (0.0, 0.0)
        """When it was measured last how busy the process is, and how much processor time others had used by then."""
        self.dropped_count = 0
        """How many records were dropped."""

    def take_over(self) -> None:
        """Relay the records of the calling thread from now on."""
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

    def work_off(self, backlog: LogBacklog) -> None:
        """Write the records of a backlog, slowly."""
        self._items.put(backlog)
        self._see_to_it()

    def flush(self, seconds: float) -> bool:
        """Wait until what was logged so far has reached the handlers; false when that takes longer."""
        if self._items.empty() and self._thread is None:
            return True
        passed = Wakeup()
        self._items.put(passed)
        self._see_to_it()
        return passed.wait(seconds)

    def _see_to_it(self) -> None:
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                thread = Thread(target=self._run, name="windlass-log", daemon=True)
                try:
                    thread.start()
                except RuntimeError:  # the system refuses a thread; the next record tries again
                    return
                self._thread = thread

    def _run(self) -> None:
        self._measured = self._used_by_others()
        while True:
            try:
                self._see(self._items.get(timeout=self._patience()))
            except Empty:
                if not self._backlogs:
                    with self._lock:
                        if self._items.empty():
                            self._thread = None
                            return
            # Also between other records, however closely they follow each other.
            if self._backlogs and self._monotonic() >= self._rested:
                self._write_slices()

    def _patience(self) -> float:
        """How many seconds to wait for the next record."""
        return max(0.0, self._rested - self._monotonic()) if self._backlogs else _IDLE

    def _see(self, item: _Item) -> None:
        match item:
            case (logger, record):
                self._pass_on(logger, record)
            case Wakeup():
                for backlog in list(self._backlogs):
                    while self._write_slice(backlog):
                        pass
                item.set()
            case _:
                self._backlogs[item] = None

    def _write_slices(self) -> None:
        began = self._thread_time()
        for backlog in list(self._backlogs):
            self._write_slice(backlog)
        self._measure()
        rest = _BUSY_REST if self._is_busy else _CALM_REST
        self._rested = self._monotonic() + rest * (self._thread_time() - began)

    def _measure(self) -> None:
        """How busy the other threads of this process are."""
        (since, before), (now, used) = self._measured, self._used_by_others()
        if now - since >= _SPAN:
            self._is_busy = used - before > _BUSY * (now - since)
            self._measured = now, used

    def _used_by_others(self) -> tuple[float, float]:
        """The time, and how much processor time all threads but this one have used."""
        return self._monotonic(), self._process_time() - self._thread_time()

    def _write_slice(self, backlog: LogBacklog) -> bool:
        """Write some records of a backlog; false if there are none."""
        records = backlog.take(_SLICE)
        handlers = _batch_handlers(backlog.logger)
        if handlers:
            for handler in handlers:
                handler.handle_all(records)
        else:
            for record in records:
                self._pass_on(backlog.logger, record)
        if not records:
            del self._backlogs[backlog]
        return bool(records)

    def _pass_on(self, logger: logging.Logger, record: logging.LogRecord) -> None:
        dropped, self.dropped_count = self.dropped_count, 0
        try:
            if dropped:
                logger.error("%s log records were dropped while a log handler did not take any", dropped)
            logger.handle(record)
        except Exception:  # a handler of the user's may raise, and must not end the thread for the others
            if logging.lastResort is not None:
                logging.lastResort.handle(record)


def _batch_handlers(logger: logging.Logger) -> list[BatchHandler]:
    """The handlers that records of a logger reach; none if one of these, or the logger, wants them one by one."""
    found: list[BatchHandler] = []
    at: logging.Logger | None = logger
    while at is not None:
        for handler in at.handlers:
            if not isinstance(handler, BatchHandler):
                return []
            found.append(handler)
        at = at.parent if at.propagate else None
    return [] if logger.disabled or logger.filters else found


relay = LogRelay()
for _name in LOGGERS:
    logging.getLogger(_name).addFilter(relay)
atexit.register(relay.flush, _AT_EXIT)
