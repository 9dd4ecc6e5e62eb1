"""Captures what a job logs and prints."""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import Callable
from threading import Lock, RLock
from typing import Any, TextIO

from windlass.active_job import running
from windlass.core.fault import Excerpt

_installing = Lock()


class JobLog:
    """What one run has logged and printed, within bounds. Threads that the job started may add to it."""

    __slots__ = ("_excerpt", "_lock", "_unfinished")

    def __init__(self) -> None:
        self._excerpt = Excerpt()
        self._unfinished = ""
        # Re-entrant, as the locks of logging are: a signal handler may log in the middle of a line.
        self._lock = RLock()

    def add(self, entry: str) -> None:
        with self._lock:
            self._excerpt.add(entry)

    def print(self, text: str) -> None:
        """Add printed text; a line counts when it has ended."""
        with self._lock:
            *lines, self._unfinished = (self._unfinished + text).split("\n")
            for line in lines:
                self._excerpt.add(line)

    def excerpt(self) -> Excerpt:
        """The log so far; an unfinished line ends here."""
        with self._lock:
            if self._unfinished:
                self._excerpt.add(self._unfinished)
                self._unfinished = ""
            return self._excerpt


class _ListeningFactory:
    """Makes log records as before, and adds a line of each to the log of the job that runs here.

    Records are captured where they are made, not by a handler: a handler at the root would keep ``basicConfig`` from
    doing anything, would be removed by ``dictConfig``, and would not get records of loggers that do not propagate.
    """

    def __init__(self, make: Callable[..., logging.LogRecord]) -> None:
        self.inner = make

    def __call__(self, *args: Any, **kwargs: Any) -> logging.LogRecord:
        record = self.inner(*args, **kwargs)
        run = running.get()
        if run is not None:
            run.logged(_line(record))
            # Logging holds no lock here, but will in a moment: a task that does little but log can be interrupted here.
            run.deliver_interrupt()
        return record


def are_records_plain(logger: logging.Logger) -> bool:
    """Whether the records of a logger are those of ``logging`` itself, not of a factory or class of the application."""
    make = logging.getLogRecordFactory()
    if isinstance(make, _ListeningFactory):
        make = make.inner
    return make is logging.LogRecord and type(logger).makeRecord is logging.Logger.makeRecord


def capture_logs() -> None:
    """Capture what jobs log, from now on. Another call does nothing."""
    with _installing:
        make = logging.getLogRecordFactory()
        if not isinstance(make, _ListeningFactory):
            logging.setLogRecordFactory(_ListeningFactory(make))


def _line(record: logging.LogRecord) -> str:
    line = f"{_time_of_day(record.created)} {record.levelname} {record.name}: {_message(record)}"
    if record.exc_info and record.exc_info[1] is not None:
        line += "\n" + "".join(traceback.format_exception(record.exc_info[1], limit=-10)).rstrip()
    return line


def _time_of_day(seconds: float) -> str:
    """The time of day in UTC; without ``strftime``, which takes longer than everything else here.

    >>> _time_of_day(1767225599.9995)
    '23:59:59.999'
    """
    minutes, milliseconds = divmod(int(seconds * 1000), 60_000)
    hours, minute = divmod(minutes % 1440, 60)
    return f"{hours:02}:{minute:02}:{milliseconds / 1000:06.3f}"


def _message(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except Exception as error:  # arguments that do not fit; logging itself only complains on stderr
        return f"{record.msg!r} (its arguments do not fit: {type(error).__name__})"


class CapturedStream:
    """A stream that adds what is printed to the log of the running job, and passes it on."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        run = running.get()
        if run is not None and not _is_logging(sys._getframe(1).f_globals.get("__name__")):
            run.printed(text)
        return self._stream.write(text)

    def writelines(self, lines: list[str]) -> None:
        for line in lines:
            self.write(line)

    def close(self) -> None:
        """Do nothing: a job that closes it must not silence the next one."""
        self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _is_logging(module: object) -> bool:
    """Whether a log handler writes here: its records were captured when they were made."""
    return module == "logging"


def capture_prints() -> None:
    """Capture what jobs print, from now on. Only for a process that runs one job at a time and nothing else."""
    sys.stdout = CapturedStream(sys.stdout)
    sys.stderr = CapturedStream(sys.stderr)
