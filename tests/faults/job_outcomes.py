"""What became of jobs, by their own records and by the lines that their runs left behind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.faults.names import NOTE, RECORD
from tests.waiting import eventually
from windlass import Job, State, Windlass


def records(app: Windlass, count: int) -> list[Job[Any]]:
    """Jobs that leave a line for every run."""
    return app.enqueue_many([app.request(RECORD, (number,)) for number in range(count)])


def notes(app: Windlass, count: int) -> list[Job[int]]:
    """Jobs that return their numbers."""
    return app.enqueue_many([app.request(NOTE, (number,)) for number in range(count)])


def runs(folder: Path) -> Counter[str]:
    """How often each job's code ran, by id."""
    file = folder / "ran"
    return Counter(file.read_text().split()) if file.exists() else Counter()


def await_runs(folder: Path, least: int) -> None:
    eventually(lambda: runs(folder).total() >= least, f"{least} runs")


def await_all_done(jobs: Iterable[Job[Any]]) -> None:
    left = list(jobs)

    def nobody_is_left() -> bool:
        left[:] = [job for job in left if not job.refresh().done]
        return not left

    eventually(nobody_is_left, "all jobs are done")


def assert_ended_once(jobs: Iterable[Job[Any]], folder: Path) -> None:
    """Each was run once, was charged for that, and has one ending, by its first owner."""
    ran = runs(folder)
    for job in jobs:
        record = job.refresh().record
        assert (job.state, ran[job.id], job.attempt) == (State.COMPLETED, 1, 1), job
        assert (record.crashes, record.rescues) == (0, 0), job
        kinds = [entry.kind for entry in job.timeline()]
        assert kinds.count("completed") == 1
        assert not {"rescued", "refused"} & set(kinds), kinds
