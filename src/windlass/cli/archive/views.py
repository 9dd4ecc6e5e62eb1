"""What these commands print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from windlass.cli.terminal.screen import Cell, Column, Screen, Styled
from windlass.cli.times import age
from windlass.cli.views.jobs import note
from windlass.cli.views.style import state_cell
from windlass.insight.json_forms import job_summary
from windlass.job import Job

_COLUMNS = [
    Column(title="ID"),
    Column(title="TASK", least=8),
    Column(title="QUEUE", least=7, may_go=True),
    Column(title="STATE"),
    Column(title="FINISHED", is_number=True),
    Column(title="NOTE", least=11, good=24, may_go=True),
]


@dataclass(frozen=True, slots=True)
class ArchiveList:
    """A page of archived jobs; ``next`` is the cursor of the page after it."""

    jobs: Sequence[Job[Any]]
    next: str | None
    damaged: int
    """How many jobs, and parts of files, could not be read."""

    def data(self) -> object:
        return {"jobs": [job_summary(job) for job in self.jobs], "next": self.next, "damaged": self.damaged}

    def draw(self, screen: Screen) -> None:
        if self.jobs:
            screen.table(_COLUMNS, [_row(job) for job in self.jobs])
        else:
            screen.line("no archived jobs match" if self.next is None else "no archived jobs match so far")
        if self.damaged:
            parts = "1 part" if self.damaged == 1 else f"{self.damaged:,} parts"
            screen.line(Styled(f"{parts} of the archive could not be read, and are left out", "yellow"))
        if self.next is not None:
            screen.line(Styled(f"more with --cursor {self.next}", "dim"))


def _row(job: Job[Any]) -> list[Cell]:
    return [job.id, job.task, job.queue, state_cell(job.state), age(job.finished_at), note(job)]
