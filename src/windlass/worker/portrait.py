"""What a worker shows of itself: its state, and what it is and does."""

from __future__ import annotations

import os
import platform
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from windlass import clock
from windlass.store.leases import Presence
from windlass.version import VERSION
from windlass.worker.dispatcher import Dispatcher
from windlass.worker.identity import Identity
from windlass.worker.pump import Pump
from windlass.worker.recent import Recent
from windlass.worker.resources import cpu_seconds, resident_memory
from windlass.worker.unknown_tasks import UnknownTasks

_RUNNING_SHOWN = 20


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """What a worker does at this moment."""

    name: str
    state: str
    running: int
    buffered: int
    ended: int
    failed: int
    """Runs that left an error, whether their jobs run again or not."""
    refused: int
    abandoned: int
    """Runs that would not stop."""
    queues: dict[str, int] = field(default_factory=dict)


class Portrait:
    """Drawn anew whenever somebody looks."""

    def __init__(
        self,
        *,
        identity: Identity,
        queues: Mapping[str, int],
        allows_commands: bool,
        has_duties: bool,
        dispatcher: Dispatcher,
        pump: Pump,
        recent: Recent,
        unknown_tasks: UnknownTasks,
    ) -> None:
        self.identity = identity
        self.queues = queues
        self._allows_commands = allows_commands
        self._has_duties = has_duties
        self._dispatcher = dispatcher
        self._pump = pump
        self._recent = recent
        self._unknown_tasks = unknown_tasks
        self._looked = (clock.monotonic(), cpu_seconds())
        self._started: float | None = None
        self._is_draining = False

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
            refused=self._pump.refused_count,
            abandoned=self._dispatcher.abandoned_count,
            queues=dict(self.queues),
        )

    def presence(self) -> Presence:
        """For everybody else, by way of the store."""
        info = msgspec.json.encode(self._info()).decode()
        return Presence(self.identity.instance, self.identity.name, self.state, info)

    def _info(self) -> dict[str, Any]:
        running = self._dispatcher.running()
        return {
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "queues": list(self.queues),
            "concurrency": self._dispatcher.concurrency,
            "commands": self._allows_commands,
            "duties": self._has_duties,
            "python": platform.python_version(),
            "version": VERSION,
            "uptime": round(clock.monotonic() - self._started) if self._started is not None else 0,
            "running": [{"id": run.job.id, "task": run.job.task} for run in running[:_RUNNING_SHOWN]],
            "running_count": len(running),
            "ended": self._dispatcher.ended_count,
            "failed": self._dispatcher.failed_count,
            "refused": self._pump.refused_count,
            "abandoned": self._dispatcher.abandoned_count,
            "unknown_tasks": self._unknown_tasks.names(),
            "memory": resident_memory(),
            "cpu": self._cpu(),
            "last": self._recent.newest(),
        }

    def _cpu(self) -> float:
        """Percent of one processor since somebody last looked."""
        (before, used_before), self._looked = self._looked, (clock.monotonic(), cpu_seconds())
        now, used = self._looked
        return round(100 * (used - used_before) / max(now - before, 0.001), 1)
