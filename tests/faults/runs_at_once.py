"""The timeline of all runs, rebuilt from the jobs' own records.

A run counts from the instant of its claim to that at which it was ended or rescued, both by the store's clock: so long
it has its places under limits, and its key. What the code of a run does after its rescue, in a worker that was paused
beyond its lease, does not count: nothing that it writes is accepted. A run that ended in the millisecond in which
another was claimed ended before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from windlass import Job, State
from windlass.core.fault import read_attempts


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """One run of a job; instants are milliseconds since 1970."""

    job: Job[Any]
    claimed_at: int
    ended_at: int


def recorded_runs(jobs: Iterable[Job[Any]]) -> list[RecordedRun]:
    """All runs of jobs that have ended."""
    return [run for job in jobs for run in _runs_of(job.refresh())]


def _runs_of(job: Job[Any]) -> Iterator[RecordedRun]:
    assert job.done, f"{job} has not ended"
    attempts = read_attempts(job.record.attempts)
    assert attempts.left_out == 0, "some of its runs are not known any more"
    for attempt in attempts.attempts:
        assert attempt.claimed_at is not None
        yield RecordedRun(job, attempt.claimed_at, attempt.ended_at)
    if job.state is State.COMPLETED:
        assert job.record.claimed_at is not None
        assert job.record.finished_at is not None
        yield RecordedRun(job, job.record.claimed_at, job.record.finished_at)


def most_at_once(runs: Iterable[RecordedRun]) -> int:
    """The largest number of runs at the same instant."""
    steps = [
        step for run in runs for step in ((run.claimed_at, 1), (run.ended_at, -1)) if run.ended_at > run.claimed_at
    ]
    running = most = 0
    for _, step in sorted(steps):
        running += step
        most = max(most, running)
    return most


def most_of_each(runs: Iterable[RecordedRun], name: Callable[[Job[Any]], str | None]) -> dict[str, int]:
    """The same for the runs of each name by themselves; those of jobs without one are left out."""
    by_name: dict[str, list[RecordedRun]] = defaultdict(list)
    for run in runs:
        if (found := name(run.job)) is not None:
            by_name[found].append(run)
    return {found: most_at_once(each) for found, each in by_name.items()}
