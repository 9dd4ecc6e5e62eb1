"""Jobs, a line each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from windlass.cli.terminal.screen import Cell, Column, Screen, Styled
from windlass.cli.times import age, length, now
from windlass.cli.views.style import state_cell
from windlass.core.state import DUE_LATER, State
from windlass.insight.job_page import unsearched_note
from windlass.insight.json_forms import job_page, last_error
from windlass.job import Job


@dataclass(frozen=True, slots=True)
class JobList:
    """A page of jobs; ``next`` is the cursor of the page after it, ``unsearched`` how many jobs a search for a
    text could not look into.
    """

    jobs: Sequence[Job[Any]]
    next: int | None = None
    unsearched: int = 0
    nothing: str = "no jobs match"
    short: Mapping[str, str] = field(default_factory=dict)
    """Short ids by id; other ids are shown whole."""

    def data(self) -> object:
        return job_page(self.jobs, self.next, self.unsearched)

    def draw(self, screen: Screen) -> None:
        if not self.jobs:
            screen.line(self.nothing)
        else:
            screen.table(_COLUMNS, [_row(job, self.short.get(job.id, job.id)) for job in self.jobs])
        if self.unsearched:
            screen.line(Styled(unsearched_note(self.unsearched), "dim"))
        if self.next is not None:
            screen.line(Styled(f"more with --cursor {self.next}", "dim"))


_COLUMNS = [
    Column(title="ID"),
    Column(title="TASK", least=8),
    Column(title="QUEUE", least=7, may_go=True),
    Column(title="STATE"),
    Column(title="RUNS", is_number=True, may_go=True),
    Column(title="CREATED", is_number=True, may_go=True),
    Column(title="NOTE", least=11, good=36),
]


def _row(job: Job[Any], id: str) -> list[Cell]:
    had = f"{runs(job)}/{job.max_attempts}"
    return [id, job.task, job.queue, state_cell(job.state), had, age(job.created_at), note(job)]


def runs(job: Job[Any]) -> int:
    """How many runs it has had; a run under way counts, though a worker's is charged only when it has ended."""
    is_under_way = job.state is State.RUNNING and job.started_at is not None
    return job.attempt + (is_under_way and not job.record.is_charged)


def note(job: Job[Any]) -> str:
    """What is worth knowing of a job besides its state, in a few words."""
    if job.state is State.SCHEDULED and job.reason == "event":
        return f"waits for an event{'' if job.record.is_never_due else f', its time ends {age(job.run_at)}'}"
    if job.state is State.SCHEDULED and job.reason == "sleep":
        return f"sleeps, due {age(job.run_at)}"
    if job.state in DUE_LATER:
        due = f"due {age(job.run_at)}"
        return f"{due}: {last_error(job)}" if job.errors else due
    if job.reason is not None:
        # The error first: it says more where only one fits.
        return f"{last_error(job)} ({job.reason})" if job.errors else job.reason
    if job.state is State.RUNNING:
        return _running(job)
    return f"priority {job.priority}" if job.priority and not job.done else ""


def _running(job: Job[Any]) -> str:
    """For how long, how far, and where."""
    since = job.started_at
    parts = [] if since is None else [f"for {length(max(timedelta(0), now() - since))}"]
    if job.progress.value is not None:
        parts.append(f"{job.progress.value:.0%} {job.progress.text or ''}".strip())
    if job.worker:
        parts.append(f"on {job.worker}")
    return ", ".join(parts)
