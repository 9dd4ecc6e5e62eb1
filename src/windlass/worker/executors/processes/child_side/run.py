"""A run inside a child."""

from __future__ import annotations

from typing import Any

from windlass.core.records import Claimed
from windlass.steps.run_steps import StepStore
from windlass.task import Task
from windlass.worker.executors.processes.child_side.shared_memory import SharedRunState
from windlass.worker.runs.run import ReportProgress, Run


class ChildRun(Run):
    """Shares with the worker, which watches its time, that a task asked for more, and its output, in case it dies."""

    __slots__ = ("_shared",)

    def __init__(
        self,
        job: Claimed,
        task: Task[..., Any],
        *,
        claimed: float,
        report: ReportProgress,
        steps: StepStore,
        shared: SharedRunState,
    ) -> None:
        super().__init__(job, task, claimed=claimed, report=report, steps=steps)
        self._shared = shared

    def extend(self, seconds: float) -> None:
        super().extend(seconds)
        if self.ends_at is not None:
            self._shared.extend(self.ends_at)

    def logged(self, entry: str) -> None:
        self._shared.last_output.add(f"{entry}\n")
        super().logged(entry)

    def printed(self, text: str) -> None:
        self._shared.last_output.add(text)
        super().printed(text)
