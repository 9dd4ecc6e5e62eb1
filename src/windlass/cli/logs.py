"""Logging of commands."""

from __future__ import annotations

import json
import logging
import os
import shutil
import sys
from contextlib import nullcontext
from datetime import timedelta
from textwrap import dedent
from typing import TextIO

import click

from windlass import clock
from windlass.active_job import running
from windlass.cli.output import Command
from windlass.cli.terminal.escape import UNSAFE, escaped
from windlass.cli.times import length
from windlass.client.config import setting
from windlass.clock import iso
from windlass.core.meta import Meta, logged_correlation, trace_id_of
from windlass.errors import ConfigError
from windlass.threads.log_relay import JOBS_LOGGER

_LEVELS = ("debug", "info", "warning", "error", "critical")
_FORMATS = ("text", "json")
_JOBS = ("on", "off")
_FIELDS = (
    "job",
    "task",
    "queue",
    "worker",
    "attempt",
    "max_attempts",
    "fence",
    "correlation_id",
    "trace_id",
    "outcome",
    "reason",
    "seconds",
    "delay",
    "error",
    "left_out",
    "state",
    "running",
    "slots",
    "ended",
    "failed",
    "memory",
    "uptime",
    "ready",
    "latency",
    "call",
    "claimed",
    "cause",
    "alert",
    "rule",
    "severity",
    "scope",
    "channel",
    "event_id",
    "tries",
)
"""The fields of records of ours, under their names in JSON."""
_OUTCOMES = {"completed": "green", "failed": "red", "retrying": "yellow", "cancelled": "bright_black"}
_LEVEL_COLOURS = {"WARNING": "yellow", "ERROR": "red", "CRITICAL": "red"}
_WIDEST = 32


def with_log_options(command: Command) -> Command:
    """Give a command ``--log-jobs`` and ``--log-format``; ``set_up_logs`` reads them."""
    command = click.option(
        "--log-format",
        type=click.Choice(_FORMATS),
        help="How the log is written (or $WINDLASS_LOG_FORMAT); text by default.",
    )(command)
    return click.option(
        "--log-jobs",
        type=click.Choice(_JOBS),
        help="Whether every ended run is a line of the log (or $WINDLASS_LOG_JOBS); on by default.",
    )(command)


def set_up_logs(*, default: str, process: str = "", log_jobs: str | None = None, log_format: str | None = None) -> None:
    """Log to stderr from ``$WINDLASS_LOG`` on, unless the application has set up its own logging.

    ``process`` is the name of this process in the lines, where several write to the same place.
    """
    level = _chosen("log", None, _LEVELS, default)
    form = _chosen("log_format", log_format, _FORMATS, "text")
    if _chosen("log_jobs", log_jobs, _JOBS, "on") == "off":
        logging.getLogger(JOBS_LOGGER).setLevel(logging.WARNING)
    root = logging.getLogger()
    if root.handlers:
        return
    handler = LineHandler()
    handler.setFormatter(_formatter(form, process))
    root.addHandler(handler)
    root.setLevel(level.upper())


def _chosen(name: str, given: str | None, choices: tuple[str, ...], default: str) -> str:
    value = (setting(name, given, default) or default).lower()
    if value not in choices:
        raise ConfigError(f"$WINDLASS_{name.upper()} must be one of {', '.join(choices)}, got {value!r}")
    return value


def _formatter(form: str, process: str) -> logging.Formatter:
    if form == "json":
        return JsonFormatter()
    if sys.stderr.isatty():
        return TerminalFormatter(process)
    return VisibleFormatter(f"%(asctime)s %(levelname)-7s {process}%(name)s: %(message)s")


class LineHandler(logging.StreamHandler[TextIO]):
    """Writes to stderr; the lines of ended runs, of which there may be thousands, several at once."""

    def handle_all(self, records: list[logging.LogRecord]) -> None:
        """Write the lines of these records together."""
        lines = []
        for record in records:
            try:
                if record.levelno >= self.level and self.filter(record):
                    lines.append(self.format(record) + self.terminator)
            except Exception:  # as StreamHandler.emit does: a line that cannot be written ends nothing
                self.handleError(record)
        self._write("".join(lines), records)

    def _write(self, text: str, records: list[logging.LogRecord]) -> None:
        if not text:
            return
        with self.lock or nullcontext():
            try:
                self.stream.write(text)
                self.flush()
            except Exception:
                self.handleError(records[-1])


class TimedFormatter(logging.Formatter):
    """Writes the time of each second once: many lines have the same."""

    _last: tuple[int, str] = (-1, "")

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:
        second, text = self._last
        if second != int(record.created):
            text = super().formatTime(record, datefmt or self.default_time_format)
            self._last = int(record.created), text
        return f"{text},{int(record.msecs):03}" if datefmt is None else text


class VisibleFormatter(TimedFormatter):
    """Escapes messages: they may quote job data, which must not control the terminal."""

    def format(self, record: logging.LogRecord) -> str:
        return escaped(super().format(record))


class JsonFormatter(logging.Formatter):
    """Writes one JSON object a line, with the fields of the run in records about runs and in those that a run makes."""

    def format(self, record: logging.LogRecord) -> str:
        values: dict[str, object] = {
            "at": iso(clock.instant(round(record.created * 1000))),
            "level": record.levelname.lower(),
            "logger": record.name,
            "component": component_of(record.name),
            "event": record.__dict__.get("event", "message"),
            "process": record.process,
            "message": record.getMessage(),
            **_fields_of_run(),
            **{name: record.__dict__[name] for name in _FIELDS if name in record.__dict__},
        }
        if record.exc_info and not record.exc_text:
            record.exc_text = self.formatException(record.exc_info)
        if record.exc_text:
            values["traceback"] = dedent(record.exc_text)
        text = json.dumps(values, ensure_ascii=False, default=str)
        return UNSAFE.sub(lambda match: json.dumps(match[0])[1:-1], text)


def _fields_of_run() -> dict[str, object]:
    """Which job logs, where a job does: a formatter works in the thread or coroutine that logs."""
    run = running.get()
    if run is None:
        return {}
    job = run.active
    return {
        "job": job.id,
        "task": job.task,
        "queue": job.queue,
        "worker": run.worker,
        "attempt": job.attempt,
        "max_attempts": job.max_attempts,
        "fence": job.fence,
        "correlation_id": logged_correlation(job.correlation_id, job.id, is_encrypted=run.is_encrypted),
        "trace_id": trace_id_of(Meta(job.meta)),
    }


def component_of(logger: str) -> str:
    """The part of Windlass that a logger belongs to; ``app`` for those of the application.

    >>> component_of("windlass.worker.jobs"), component_of("windlass"), component_of("shop.mail")
    ('worker', 'windlass', 'app')
    """
    first, *rest = logger.split(".")
    if first != "windlass":
        return "app"
    return rest[0] if rest else first


class TerminalFormatter(TimedFormatter):
    """For people at a terminal: runs below each other in columns, in the colours of their outcomes.

    Columns grow with what they have to show, and stay as wide as they were. Where that would break an id in two, the
    name of the process is left out.
    """

    def __init__(self, process: str) -> None:
        super().__init__(f"%(asctime)s %(levelname)-7s {process}%(name)s: %(message)s", "%H:%M:%S")
        self._process = process
        self._task = self._queue = 0

    def format(self, record: logging.LogRecord) -> str:
        fields = record.__dict__
        if "outcome" in fields and "job" in fields:
            return self._run(record, fields)
        return _coloured(escaped(super().format(record)), _LEVEL_COLOURS.get(record.levelname))

    def _run(self, record: logging.LogRecord, fields: dict[str, object]) -> str:
        task, queue = str(fields["task"]), str(fields["queue"])
        self._task = max(self._task, min(len(task), _WIDEST))
        self._queue = max(self._queue, min(len(queue), _WIDEST))
        seconds, outcome = fields["seconds"], str(fields["outcome"])
        took = length(timedelta(seconds=seconds)) if isinstance(seconds, int | float) else "-"
        at, runs, job = (
            self.formatTime(record, self.datefmt),
            f"{fields['attempt']}/{fields['max_attempts']}",
            fields["job"],
        )
        shown = [at, f"{outcome:<9}", f"{took:>5}", " " * self._task, " " * self._queue, runs, str(job)]
        if len("  ".join(shown)) - 2 + len(self._process) > shutil.get_terminal_size().columns:
            self._process = ""
        line = (
            f"{at} {self._process}"
            f"{_coloured(f'{outcome:<9}', _OUTCOMES.get(outcome, 'cyan'))} {took:>5}  {escaped(task):<{self._task}}  "
            f"{escaped(queue):<{self._queue}}  {runs}  "
            f"{_coloured(escaped(str(job)), 'bright_black')}"
        )
        return "\n".join([line, *self._failure(record, fields)])

    def _failure(self, record: logging.LogRecord, fields: dict[str, object]) -> list[str]:
        """The error and what follows from it, below the line of the run."""
        if "error" not in fields:
            return []
        delay, reason = fields.get("delay"), fields.get("reason")
        if isinstance(delay, int | float):
            follows = f"again in {length(timedelta(seconds=delay))}"
        else:
            follows = f"failed for good ({reason})"
        error = _coloured(escaped(f"    {fields['error']}"), _LEVEL_COLOURS.get(record.levelname))
        traceback = [_coloured(escaped(record.exc_text), "bright_black")] if record.exc_text else []
        return [f"{error} · {follows}", *traceback]


def _coloured(text: str, colour: str | None) -> str:
    return text if colour is None or "NO_COLOR" in os.environ else click.style(text, fg=colour)
