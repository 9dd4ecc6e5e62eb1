"""Checks who pays for the death of a process, by the lines of the runs that were in it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from tests.torture.evidence import GAP, Evidence, Run
from tests.torture.finding import Finding
from tests.torture.leases.setting import REMOTE
from tests.torture.traffic.timelines import lawful_runs
from tests.torture.witness import Dying

_WATCHED = 10.0
"""Seconds for which a suspect keeps other suspects off its process."""
_SLACK = 1.0
"""Seconds by which the first line of a run may come late."""


def only_suspects_are_charged(seen: Evidence) -> Iterator[Finding]:
    """I11: what ran beside a job that had killed its process before is not charged when that job does so again.

    The first line of the next run tells how many attempts are charged by then. Also where the store itself holds
    another job responsible, nothing is charged.
    """
    caused = {
        (run.job, run.fence): death.job for death in _deaths_of_suspects(seen) for run in _neighbours(death, seen)
    }
    for (job, fence), by in {**_blamed_on_others(seen), **caused}.items():
        attempts = {run.fence: run.attempt for run in seen.runs.get(job, ())}
        # A rescue and a claim lie between two runs that follow each other; each raises the fence.
        if fence in attempts and attempts.get(fence + 2, 0) > attempts[fence]:
            yield Finding("I11", f"job {job} was charged at fence {fence} for a death that job {by} had caused")


def suspects_run_one_by_one(seen: Evidence) -> Iterator[Finding]:
    """I11: a process starts a suspect only when the one before it has ended, or has run for long."""
    suspects: dict[int, list[Run]] = defaultdict(list)
    for run in (run for runs in seen.runs.values() for run in runs if _is_of_suspect(run, seen)):
        suspects[_worker(run, seen)].append(run)
    for runs in suspects.values():
        for run in filter(lambda run: _held_its_place(run, seen), runs):
            until = min(run.ended or run.began, run.began + _WATCHED - _SLACK)
            beside = [other.job for other in runs if run.began < other.began < until]
            if beside:
                yield Finding("I11", f"job {run.job} is a suspect, and so are {', '.join(beside)} that began beside it")


CHECKS = (only_suspects_are_charged, suspects_run_one_by_one)


def _deaths_of_suspects(seen: Evidence) -> Iterator[Dying]:
    """The deaths by jobs that had died before, in processes that had lost no lease meanwhile."""
    for deaths in seen.dying.values():
        for death in deaths[1:]:
            first = min(seen.pulses.get(death.pid, [death.at]))
            if seen.is_calm(max(first, death.at - seen.lease - GAP), death.at - GAP, death.pid):
                yield death


def _blamed_on_others(seen: Evidence) -> dict[tuple[str, int], str]:
    """The losses that the store blames on another job. What is claimed over HTTP is charged at the claim."""
    return {
        (job, fence): culprit
        for job, culprits in seen.blamed.items()
        for fence, culprit in culprits.items()
        if culprit != job and not job.startswith(REMOTE)
    }


def _neighbours(death: Dying, seen: Evidence) -> Iterator[Run]:
    """The runs that went down with it, of jobs that had never been lost."""
    for runs in seen.runs.values():
        for run in runs:
            is_beside = run.pid == death.pid and run.began < death.at and run.ended is None and run.job != death.job
            if is_beside and not any(fence < run.fence for fence in seen.rescued.get(run.job, ())):
                yield run


def _is_of_suspect(run: Run, seen: Evidence) -> bool:
    """Whether the run before it was lost; a job that is claimed over HTTP is never a suspect."""
    return run.fence - 2 in seen.rescued.get(run.job, ()) and not run.job.startswith(REMOTE)


def _worker(run: Run, seen: Evidence) -> int:
    """The process that has claimed it: a child's runs are claimed by its parent."""
    return run.pid if run.pid in seen.workers else seen.parents.get(run.pid, run.pid)


def _held_its_place(run: Run, seen: Evidence) -> bool:
    job = seen.records.get(run.job)
    return job is not None and run in lawful_runs(job, seen)
