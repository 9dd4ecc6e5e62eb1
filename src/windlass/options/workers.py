"""The options of a worker."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from windlass.core import validate
from windlass.errors import ConfigError, Duration


class WorkerOptions(TypedDict, total=False):
    """The keywords that ``app.worker(...)`` takes."""

    concurrency: int
    lease: Duration
    heartbeat: Duration | None
    heartbeat_failures: int
    grace: Duration
    name: str | None
    version: str | None
    id: str | None
    duties: bool
    prefetch: bool
    stop_patience: Duration
    allow_commands: bool
    commands_folder: str | Path | None
    children: int | None
    child_max_jobs: int | None
    child_max_memory: int | str | None


WORKER_DEFAULTS: WorkerOptions = {
    "concurrency": 10,
    "lease": "30s",
    "heartbeat": None,
    "heartbeat_failures": 3,
    "grace": "30s",
    "name": None,
    "version": None,
    "id": None,
    "duties": True,
    "prefetch": True,
    "stop_patience": "5s",
    "allow_commands": False,
    "commands_folder": None,
    "children": None,
    "child_max_jobs": None,
    "child_max_memory": None,
}
"""What holds for a worker where nothing else is given."""


@dataclass(frozen=True, slots=True)
class QueueShare:
    """What a worker gives to one of its queues.

    ``weight`` is its share beside the others; ``cap`` how many of its jobs the worker has at once, at the most;
    ``reserve`` how many slots no other queue may use.

    >>> QueueShare(3, cap=2).reserve
    0
    """

    weight: int = 1
    cap: int | None = None
    reserve: int = 0

    def __post_init__(self) -> None:
        validate.whole_number(self.weight, "weight", least=1, most=1000)
        if self.cap is not None:
            validate.whole_number(self.cap, "cap", least=1, most=10_000)
        validate.whole_number(self.reserve, "reserve", least=0, most=10_000)
        if self.cap is not None and self.reserve > self.cap:
            raise ConfigError(f"reserve is {self.reserve}, but cap allows only {self.cap}")

    def __str__(self) -> str:
        """As ``windlass worker -q`` takes it behind the name.

        >>> str(QueueShare(3)), str(QueueShare(3, cap=2)), str(QueueShare(1, reserve=2))
        ('3', '3:2', '1::2')
        """
        parts = [self.weight, "" if self.cap is None else self.cap, self.reserve or ""]
        return ":".join(map(str, parts)).rstrip(":")


WORKER_OPTION_NAMES = tuple(WorkerOptions.__annotations__)
