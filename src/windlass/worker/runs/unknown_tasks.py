"""Tasks that a worker does not know and has claimed jobs of."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from math import inf
from threading import Lock

from msgspec import Struct

from windlass import clock
from windlass.core.records import Claimed
from windlass.task import COMMAND
from windlass.worker.runs.logs.job_fields import about

log = logging.getLogger("windlass.worker")

_LOG_AGAIN = 60.0
_REMEMBERED = 600.0
"""Seconds; longer than the delay before a job of an unknown task is claimed again."""
_MOST = 100
"""How many names are remembered at the most."""
_OTHERS = ""
"""Stands for all names that are not remembered."""
_SHOWN = 20


class _Met(Struct):
    at: float
    logged: float


class UnknownTasks:
    """Logs each name once a minute; the status of the worker has the recent names."""

    def __init__(self, monotonic: Callable[[], float] = clock.monotonic) -> None:
        self._monotonic = monotonic
        self._met: dict[str, _Met] = {}
        self._lock = Lock()
        """Used by the pump, and by runs whose module turns out to lack the function."""

    def meet(self, job: Claimed) -> None:
        """Note a job whose task is not known here."""
        now = self._monotonic()
        with self._lock:
            name = self._remembered(job.task, now)
            met = self._met.setdefault(name, _Met(now, -inf))
            met.at = now
            if now - met.logged < _LOG_AGAIN:
                return
            met.logged = now
        with suppress(Exception):  # a log handler of the user's may raise; the job is released all the same
            _warn(job, is_named=name != _OTHERS)

    def names(self) -> list[str]:
        """Names of unknown tasks whose jobs came within the last ten minutes, some of them."""
        with self._lock:
            self._forget(self._monotonic())
            return sorted(self._met.keys() - {_OTHERS})[:_SHOWN]

    def _remembered(self, task: str, now: float) -> str:
        if task not in self._met and len(self._met) >= _MOST:
            self._forget(now)
        return task if task in self._met or len(self._met) < _MOST else _OTHERS

    def _forget(self, now: float) -> None:
        self._met = {task: met for task, met in self._met.items() if now - met.at < _REMEMBERED}


def _warn(job: Claimed, *, is_named: bool) -> None:
    if not is_named:
        log.warning("more than %s tasks are not known here; the names of the others are not logged", _MOST)
    elif job.task == COMMAND:
        log.warning(
            "job %s of queue %s is a command, and this worker allows none: it is left for a worker that was started "
            "with --allow-commands, and fails after 24 hours",
            job.id,
            job.queue,
            extra=about(job, "task_unknown"),
        )
    else:
        log.warning(
            "task %r is not known here: job %s of queue %s is left for another worker, and fails after 24 hours; "
            "import the module that declares the task: name it with -A, or with Windlass(include=[...])",
            job.task,
            job.id,
            job.queue,
            extra=about(job, "task_unknown"),
        )
