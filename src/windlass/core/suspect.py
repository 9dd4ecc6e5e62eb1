"""Suspects: jobs whose last run died together with its process.

A suspect waits in a place of its own. A process starts one at a time and the store knows of its start before user code
begins, so that the next death can be charged to it alone. docs/how-it-works.md has the whole rule.
"""

from __future__ import annotations

from windlass.core.fault import read_faults
from windlass.core.records import HeldJob

CRASHES_ALLOWED = 3
"""A job that died with its process this often is failed, whatever its attempts."""

_SHORTEST_WATCH = 10_000


def is_suspect(job: HeldJob) -> bool:
    """Whether an earlier run died with its process, and none has ended otherwise since. Never true of manual claims."""
    return evidence(job) > 0


def has_to_run_alone(job: HeldJob) -> bool:
    """Whether the next death of a job fails it, so that nothing else may be the cause of that death."""
    return evidence(job) + 1 >= CRASHES_ALLOWED


def evidence(job: HeldJob) -> int:
    """How many deaths count against a job. Rescues of runs that had not begun count once, however many there were: the
    first may have begun without a start mark, a suspect is marked before it begins.
    """
    return 0 if job.is_charged else job.crashes + min(job.rescues, 1)


def fatal_run(errors: str | None) -> int | None:
    """For how many milliseconds the newest run in a history of errors may have lasted, if it died with its process."""
    faults = read_faults(errors).faults
    return faults[-1].ran_for if faults else None


def watched_for(fatal_run: int | None) -> int:
    """For how many milliseconds a run of a suspect may be the cause of a death: as long as its last run that died, or
    10 s. One that has run longer is no longer suspected.
    """
    return max(_SHORTEST_WATCH, fatal_run or 0)


def is_fresh(ran_for: int) -> bool:
    """Whether a run of so many milliseconds is so young that it is the first to be suspected of a death."""
    return ran_for <= _SHORTEST_WATCH


def keeps_suspects_waiting_for(job: HeldJob) -> int:
    """For how many milliseconds of its run a process starts no other suspect.

    Only a job whose next death is decisive has the whole time of its watch to itself: after the loss of a machine its
    long jobs come back soon after each other, however long they had run.
    """
    return watched_for(fatal_run(job.errors)) if has_to_run_alone(job) else _SHORTEST_WATCH
