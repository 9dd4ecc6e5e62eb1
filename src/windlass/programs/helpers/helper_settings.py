"""The settings of a helper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

from windlass.core import validate
from windlass.core.units import duration
from windlass.errors import Duration
from windlass.programs.command import check_argv, check_env


class ProgramSettings(TypedDict, total=False):
    """The keywords that ``app.helper(...)`` takes."""

    env: Mapping[str, str] | None
    cwd: str | None
    processes: int
    line_limit: int
    kill_after: Duration


@dataclass(frozen=True, slots=True)
class Program:
    """A program that stays alive and answers line by line."""

    name: str
    argv: Sequence[str]
    env: Mapping[str, str] | None = None
    """Added to the worker's whole environment but ``$WINDLASS_ENCRYPTION_KEYS``: a helper is declared by the
    application, not by a job.
    """
    cwd: str | None = None
    processes: int = 1
    """How many processes there may be at once; while all are busy, a job waits."""
    line_limit: int = 1024 * 1024
    """Bytes that an answer may have."""
    kill_after: Duration = 2
    """How long after SIGTERM it is killed, when a job has to stop."""
    patience: float = field(init=False)
    """``kill_after`` in seconds."""

    def __post_init__(self) -> None:
        validate.task_name(self.name)
        check_argv(self.argv)
        object.__setattr__(self, "argv", tuple(self.argv))
        check_env(self.env)
        validate.whole_number(self.processes, f"helper {self.name!r}: processes", least=1, most=1_000)
        validate.whole_number(self.line_limit, f"helper {self.name!r}: line_limit", least=64)
        object.__setattr__(self, "patience", duration(self.kill_after, "kill_after").total_seconds())
