"""Jobs, a line for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from windlass.cli.moments import age, iso
from windlass.cli.screen import WIDE, Cell, Column, Screen, Styled
from windlass.cli.views.style import state_cell
from windlass.core.state import DUE_LATER
from windlass.job import Job


@dataclass(frozen=True, slots=True)
class JobList:
    """A page of jobs; ``next`` is the cursor of the page after it."""

    jobs: Sequence[Job[Any]]
    next: int | None = None
    nothing: str = "no jobs match"

    def data(self) -> object:
        return {"jobs": [summary(job) for job in self.jobs], "next": self.next}

    def draw(self, screen: Screen) -> None:
        if not self.jobs:
            screen.line(self.nothing)
        else:
            has_room = screen.width >= WIDE
            columns = [*_COLUMNS, Column(title="NOTE", gives_way=True)] if has_room else _COLUMNS
            screen.table(columns, [_row(job)[: len(columns)] for job in self.jobs])
        if self.next is not None:
            screen.line(Styled(f"more with --cursor {self.next}", "dim"))


_COLUMNS = [
    Column(title="ID"),
    Column(title="TASK", gives_way=True),
    Column(title="QUEUE", gives_way=True),
    Column(title="STATE"),
    Column(title="RUNS", is_number=True),
    Column(title="CREATED", is_number=True),
]


def _row(job: Job[Any]) -> list[Cell]:
    runs = f"{job.attempt}/{job.max_attempts}"
    return [job.id, job.task, job.queue, state_cell(job.state), runs, age(job.created_at), note(job)]


def note(job: Job[Any]) -> str:
    """What is worth knowing of a job besides its state, in a few words."""
    if job.state in DUE_LATER:
        return f"due {age(job.run_at)}"
    if job.reason is not None:
        return f"{job.reason}: {last_error(job)}" if job.errors else job.reason
    if job.progress.value is not None and not job.done:
        return f"{job.progress.value:.0%} {job.progress.text or ''}".strip()
    return f"priority {job.priority}" if job.priority and not job.done else ""


def last_error(job: Job[Any]) -> str | None:
    """What its newest failed attempt raised, on one line."""
    return f"{job.errors[-1].type}: {job.errors[-1].message}" if job.errors else None


def summary(job: Job[Any]) -> dict[str, object]:
    """A job in a list, for programs."""
    return {
        "id": job.id,
        "task": job.task,
        "queue": job.queue,
        "state": str(job.state),
        "reason": job.reason,
        "priority": job.priority,
        "attempt": job.attempt,
        "max_attempts": job.max_attempts,
        "crashes": job.record.crashes,
        "rescues": job.record.rescues,
        "worker": job.worker,
        "fence": job.fence,
        "progress": {"value": job.progress.value, "text": job.progress.text},
        "created_at": iso(job.created_at),
        "run_at": iso(job.run_at),
        "started_at": iso(job.started_at),
        "finished_at": iso(job.finished_at),
        "error": last_error(job),
    }
