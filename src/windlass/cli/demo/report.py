"""The summary: what the store holds, what failed and why, how fast it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from windlass.app import Windlass
from windlass.cli.demo.tasks import Role
from windlass.cli.terminal.screen import Cell, Column, Screen, Styled
from windlass.cli.views.style import count_cell, state_cell
from windlass.cli.views.timeline import Timeline
from windlass.core.state import State
from windlass.insight.json_forms import last_error
from windlass.job import Job

_NEXT = (
    ("windlass worker -A jobs", "run the jobs of your own jobs.py"),
    ("windlass enqueue -A jobs jobs.add '[1, 2]'", "make a job from the shell"),
    ("windlass status -A jobs", "see queues, workers and counts"),
)
_JOBS_PY = """\
from windlass import Windlass

app = Windlass()

@app.task
def add(a: int, b: int) -> int:
    return a + b
"""


@dataclass(frozen=True, slots=True)
class Figures:
    """How long the burst took, in seconds."""

    jobs: int
    enqueueing: float
    running: float


@dataclass(frozen=True, slots=True)
class Summary:
    """What is in the store at the end of the demo."""

    counts: dict[str, int]
    dead: Sequence[Job[Any]]
    retried: Timeline
    figures: Figures

    @classmethod
    def of(cls, app: Windlass, cast: Sequence[Role], figures: Figures) -> Summary:
        """Read it from the store."""
        retried = next(role for role in cast if role.job.state is State.COMPLETED and role.job.attempt > 1)
        timeline = Timeline(retried.name, retried.job.timeline())
        return cls(app.counts(), app.jobs(state=State.FAILED), timeline, figures)

    def draw(self, screen: Screen) -> None:
        self._draw_dead(screen)
        _heading(screen, f"The timeline of {self.retried.id!r}, which was retried")
        self.retried.draw(screen)
        _heading(screen, "In the store now")
        rows: list[list[Cell]] = [[state_cell(state), count_cell(state, self.counts[state])] for state in State]
        screen.table([Column(title="STATE"), Column(title="JOBS", is_number=True)], rows)
        self._draw_figures(screen)
        _draw_next(screen)

    def _draw_dead(self, screen: Screen) -> None:
        _heading(screen, "What failed, and why")
        columns = [
            Column(title="TASK"),
            Column(title="REASON"),
            Column(title="RUNS"),
            Column(title="ERROR", least=10),
        ]
        rows: list[list[Cell]] = [
            [job.task, Styled(job.reason or "", "red"), f"{job.attempt}/{job.max_attempts}", last_error(job) or ""]
            for job in self.dead
        ]
        screen.table(columns, rows)

    def _draw_figures(self, screen: Screen) -> None:
        figures = self.figures
        screen.line("")
        screen.fields(
            [
                ("enqueued", f"{figures.jobs / figures.enqueueing:,.0f} jobs/s, in one call, safe on disk"),
                ("run", f"{figures.jobs / figures.running:,.0f} jobs/s, by one worker, start to finish"),
            ]
        )


def _draw_next(screen: Screen) -> None:
    _heading(screen, "Next: put this into jobs.py")
    screen.block(_JOBS_PY)
    screen.line("and try")
    widest = max(len(command) for command, _ in _NEXT)
    for command, purpose in _NEXT:
        screen.line(Styled(f"  {command:<{widest}}", "bold cyan"), Styled(f"  {purpose}", "dim"))


def _heading(screen: Screen, text: str) -> None:
    screen.line("")
    screen.line(Styled(text, "bold"))
