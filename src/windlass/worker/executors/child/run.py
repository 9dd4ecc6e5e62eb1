"""A run inside a child process."""

from __future__ import annotations

from typing import Any

from windlass import clock
from windlass.core.record import Claimed
from windlass.task import Task
from windlass.worker.executors.child.board import Board
from windlass.worker.run import ReportProgress, Run


class ChildRun(Run):
    """The worker watches its time, so it has to know when the task asks for more; and what it said, should it die."""

    __slots__ = ("_board",)

    def __init__(self, job: Claimed, task: Task[..., Any], *, report: ReportProgress, board: Board) -> None:
        super().__init__(job, task, claimed=clock.monotonic(), report=report)
        self._board = board

    def extend(self, seconds: float) -> None:
        super().extend(seconds)
        if self.ends_at is not None:
            self._board.extend(self.ends_at)

    def logged(self, entry: str) -> None:
        self._board.last_words.add(f"{entry}\n")
        super().logged(entry)

    def printed(self, text: str) -> None:
        self._board.last_words.add(text)
        super().printed(text)
