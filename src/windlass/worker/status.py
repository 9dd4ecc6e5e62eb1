"""What a worker reports of itself."""

from __future__ import annotations

import os
import platform
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import msgspec

from windlass import clock
from windlass.options import QueueShare
from windlass.store.operations.leases import WorkerReport
from windlass.version import VERSION
from windlass.worker.duties.duties import Duties
from windlass.worker.fetch.pump import Pump
from windlass.worker.fetch.written_endings import WrittenEndings
from windlass.worker.identity import Identity
from windlass.worker.process.resources import cpu_seconds, resident_memory
from windlass.worker.process.stacks import StackAnswer
from windlass.worker.recent_jobs import RecentJobs
from windlass.worker.runs.dispatcher import Dispatcher
from windlass.worker.runs.unknown_tasks import UnknownTasks

_RUNNING_SHOWN = 20
_CPU_DIFFERS = 10.0
"""Percent of one processor by which the use must differ from what was written last, to be worth a write."""
_MEMORY_DIFFERS = 0.05
"""The same for memory, as a share of what was written last."""


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """What a worker does at this moment."""

    name: str
    state: str
    running: int
    buffered: int
    ended: int
    failed: int
    """Runs that ended with an error, whether their jobs run again or not."""
    refused: int
    abandoned: int
    """Runs that did not stop and were abandoned."""
    queues: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Figures:
    """The changing figures of a worker that are written to the store."""

    work: tuple[object, ...]
    """State, counts, and what runs."""
    memory: int
    cpu: float

    def differ_from(self, other: Figures) -> bool:
        """Whether a person would read something else; memory and processor time are never quite the same."""
        return (
            self.work != other.work
            or abs(self.memory - other.memory) > _MEMORY_DIFFERS * other.memory
            or abs(self.cpu - other.cpu) > _CPU_DIFFERS
        )


class StatusReporter:
    """Makes each report of a worker from its parts."""

    def __init__(
        self,
        *,
        identity: Identity,
        shares: Mapping[str, QueueShare],
        allows_commands: bool,
        has_duties: bool,
        dispatcher: Dispatcher,
        pump: Pump,
        written: WrittenEndings,
        recent: RecentJobs,
        unknown_tasks: UnknownTasks,
        duties: Callable[[], Duties | None] = lambda: None,
        skew: Callable[[], float] = lambda: 0.0,
        release: Callable[[], str] = str,
        memory: Callable[[], int] = resident_memory,
        processor: Callable[[], float] = cpu_seconds,
    ) -> None:
        self.identity = identity
        self.shares = shares
        self._allows_commands = allows_commands
        self._has_duties = has_duties
        self._dispatcher = dispatcher
        self._pump = pump
        self._written = written
        self._recent = recent
        self._unknown_tasks = unknown_tasks
        self._duties = duties
        self._skew = skew
        self._find_release = release
        self._memory = memory
        self._processor = processor
        self._drawn_at = (clock.monotonic(), processor())
        self._drawn: Figures | None = None
        self._started: float | None = None
        self.stacks = StackAnswer(dispatcher.running)
        self._is_draining = False

    @cached_property
    def _release(self) -> str:
        """Looked up with the first report: by then all tasks are declared."""
        return self._find_release()

    def note_start(self) -> None:
        self._started = clock.monotonic()

    def note_failed_start(self) -> None:
        self._started = None

    def note_draining(self) -> None:
        self._is_draining = True

    @property
    def state(self) -> str:
        """starting, idle, busy, paused or draining."""
        if self._started is None:
            return "starting"
        if self._is_draining:
            return "draining"
        if not self._pump.may_claim:
            return "paused"
        return "busy" if self._dispatcher.in_flight else "idle"

    def status(self) -> WorkerStatus:
        """For code in the same process."""
        return WorkerStatus(
            name=self.identity.name,
            state=self.state,
            running=len(self._dispatcher.running()),
            buffered=self._dispatcher.buffered,
            ended=self._dispatcher.ended_count,
            failed=self._dispatcher.failed_count,
            refused=self._written.stale_write_count,
            abandoned=self._dispatcher.abandoned_count,
            queues={name: share.weight for name, share in self.shares.items()},
        )

    @property
    def is_outdated(self) -> bool:
        """Whether the last report is out of date."""
        return self._drawn is None or self._figures().differ_from(self._drawn)

    def presence(self) -> WorkerReport:
        """The report that is written to the store."""
        self._drawn = figures = self._figures()
        self._drawn_at = (clock.monotonic(), self._processor())
        info = msgspec.json.encode(self._info(figures)).decode()
        return WorkerReport(self.identity.instance, self.identity.name, self.state, info)

    def _figures(self) -> Figures:
        running = self._dispatcher.running()
        work = (
            self.state,
            len(running),
            tuple(run.job.seq for run in running[:_RUNNING_SHOWN]),
            self._dispatcher.ended_count,
            self._dispatcher.failed_count,
            self._dispatcher.abandoned_count,
            self._written.stale_write_count,
            tuple(self._unknown_tasks.names()),
            tuple(duty_figures(self._duties())),
            self.stacks.asked,
            round(self._skew()),
        )
        return Figures(work, self._memory(), self._cpu())

    def _info(self, figures: Figures) -> dict[str, Any]:
        running = self._dispatcher.running()
        return {
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "queues": list(self.shares),
            "caps": {name: share.cap for name, share in self.shares.items() if share.cap is not None},
            "reserves": {name: share.reserve for name, share in self.shares.items() if share.reserve},
            "concurrency": self._dispatcher.concurrency,
            "commands": self._allows_commands,
            "duties": self._has_duties,
            **duty_info(self._duties()),
            "python": platform.python_version(),
            "version": VERSION,
            "release": self._release,
            "uptime": round(clock.monotonic() - self._started) if self._started is not None else 0,
            "running": [{"id": run.job.id, "task": run.job.task} for run in running[:_RUNNING_SHOWN]],
            "running_count": len(running),
            "ended": self._dispatcher.ended_count,
            "failed": self._dispatcher.failed_count,
            "refused": self._written.stale_write_count,
            "abandoned": self._dispatcher.abandoned_count,
            "unknown_tasks": self._unknown_tasks.names(),
            "memory": figures.memory,
            "cpu": figures.cpu,
            "skew": round(self._skew(), 1),
            "last": self._recent.newest(),
            **stacks_info(self.stacks),
        }

    def _cpu(self) -> float:
        """Percent of one processor since the last report."""
        before, used_before = self._drawn_at
        return round(100 * (self._processor() - used_before) / max(clock.monotonic() - before, 0.001), 1)


def stacks_info(answer: StackAnswer) -> dict[str, object]:
    """The stacks, while they are shown to who has asked for them."""
    return {} if answer.shown is None else {"stacks": answer.shown}


def duty_figures(duties: Duties | None) -> list[object]:
    """What of the duties a person would want to read at once: who leads, and what was done."""
    return [] if duties is None else [duties.leads_since, *(one.did for one in duties.rounds())]


def duty_info(duties: Duties | None) -> dict[str, object]:
    """What a process reports about its duties."""
    if duties is None:
        return {}
    return {
        "leads_since": clock.iso(clock.instant_or_none(duties.leads_since)),
        "rounds": [
            {"duty": one.duty, "at": clock.iso(clock.instant(one.at)), "took": round(one.took, 3), "did": one.did}
            for one in duties.rounds()
        ],
    }
