"""Runs that were claimed and wait for a slot."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from windlass.worker.runs.run import Run


class RunBuffer(deque[Run]):
    """In the order in which they were claimed; but runs that wait for a child let others go first.

    ``children`` says how many more runs would begin soon in a child process. Not thread-safe: the dispatcher's lock
    guards it. A deque and not something around one, because its length is asked for with every run.
    """

    def __init__(self, children: Callable[[], int]) -> None:
        super().__init__()
        self._children = children

    def rejoin(self, runs: Sequence[Run]) -> None:
        """Put runs before all others, in their order."""
        self.extendleft(reversed(runs))

    def take(self, *, before: int = 0) -> Run | None:
        """The next run that its executor can start; None if all runs here wait for a child.

        ``before``: how many runs are about to be sent to children, and not counted there yet.
        """
        if self[0].task.is_isolated and self._children() <= before:
            return self._take_past_isolated()
        return self.popleft()

    def withdraw(self, is_wanted: Callable[[Run], bool]) -> list[Run]:
        """Take runs out."""
        wanted = [run for run in self if is_wanted(run)]
        for run in wanted:
            self.remove(run)
        return wanted

    def waiting_for_child(self) -> list[Run]:
        """Runs that wait for a child; they take no slot from runs on other executors."""
        if self._children():
            return []
        return [run for run in self if run.task.is_isolated]

    def _take_past_isolated(self) -> Run | None:
        run = next((run for run in self if not run.task.is_isolated), None)
        if run is not None:
            self.remove(run)
        return run
