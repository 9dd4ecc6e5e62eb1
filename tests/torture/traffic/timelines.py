"""Runs and grants in the order in which they came: how many at once, and how many in a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tests.torture.evidence import Evidence, Run
from tests.torture.ground import clock_step
from tests.torture.plan import Kind
from windlass.core.fault.attempts import read_attempts
from windlass.core.rates.rate import Rate
from windlass.core.records import JobRecord
from windlass.core.state import State

_BY_ITSELF = ("ValueError", "Snooze")
_SLACK = 0.005
"""Seconds by which two readings of a clock in milliseconds may differ."""


def lawful_runs(job: JobRecord, seen: Evidence) -> list[Run]:
    """The runs of a job that held their place from their first line to their last, whatever else happened.

    That is so where a run came to its end by itself and the store took that end: no rescue came before. A run that was
    lost, interrupted or left behind is not among them: its code may go on when its place has long been given away.
    """
    kept = {one.fence: one.outcome for one in read_attempts(job.attempts).attempts}
    return [run for run in seen.runs.get(job.id, ()) if run.ended is not None and _is_lawful(run, job, kept)]


def _is_lawful(run: Run, job: JobRecord, kept: dict[int, str]) -> bool:
    if job.state is State.COMPLETED and run.fence == job.fence:
        return run.how == "returned"
    return run.how in _BY_ITSELF and kept.get(run.fence, "lost") not in ("lost", State.PENDING, State.CANCELLED)


def crowd(runs: Iterable[Run], *, most: int) -> list[Run]:
    """The first runs that were at work at once and are more than there may be; empty if there were never so many."""
    at_work: list[Run] = []
    for run in sorted(runs, key=lambda run: run.began):
        at_work = [other for other in at_work if other.ended is None or other.ended > run.began]
        at_work.append(run)
        if len(at_work) > most:
            return at_work
    return []


class Grant(NamedTuple):
    """A token was given at some time between these two instants, in seconds."""

    asked: float
    at: float
    to: str


class Excess(NamedTuple):
    """More grants than there may be within a span of time."""

    number: int
    seconds: float
    allowed: float
    first: Grant
    last: Grant


def excess(grants: Sequence[Grant], rate: Rate, *, steps: Sequence[float] = ()) -> Excess | None:
    """The first span in which more tokens were given than the rate brings and the bucket holds.

    ``steps`` are the instants at which the store's clock was stepped. What it skips fills the bucket; a process that
    had read the clock just before does so a second time.
    """
    ordered = sorted(grants, key=lambda grant: grant.at)
    for first in ordered:
        number = 0
        for last in ordered:
            if last.asked < first.asked:
                continue
            number += 1
            seconds = last.at - first.asked + _SLACK
            stepped = sum(first.asked - _SLACK <= step <= last.at + _SLACK for step in steps)
            allowed = rate.burst * (1 + 2 * stepped) + rate.amount * 1000 / rate.period * seconds
            if number > allowed:
                return Excess(number, seconds, allowed, first, last)
    return None


@dataclass(frozen=True, slots=True)
class _Epoch:
    """A time in which the store's clock went on without a step; begin and end are instants of the machine."""

    begin: float
    end: float
    ahead: float
    """Seconds by which the store's clock is ahead of the machine's monotonic one."""


class StoreClock:
    """Tells at which time of the machine the store's clock showed an instant."""

    def __init__(self, seen: Evidence) -> None:
        self._epochs: list[_Epoch] = []
        begin, ahead = float("-inf"), seen.wall_clock
        for incident in seen.incidents:
            if incident.fault.kind is Kind.CLOCK_STEP and incident.until is not None:
                self._epochs.append(_Epoch(begin, incident.at, ahead))
                begin, ahead = incident.until, ahead + clock_step(incident.fault)
        self._epochs.append(_Epoch(begin, float("inf"), ahead))

    def instant(self, showed: int, *, before: float) -> float | None:
        """The instant, no later than ``before``, at which it showed so many milliseconds; None where it showed them
        more than once, or where the clock was just being stepped.
        """
        found = [showed / 1000 - epoch.ahead for epoch in self._epochs if _is_within(epoch, showed / 1000, before)]
        return found[0] if len(found) == 1 else None


def _is_within(epoch: _Epoch, showed: float, before: float) -> bool:
    at = showed - epoch.ahead
    return epoch.begin <= at <= epoch.end and at <= before + 1.0


def claims(jobs: Iterable[JobRecord], seen: Evidence) -> list[Grant]:
    """When jobs were claimed, as the store says, by the machine's clock. Claims of which no run was seen to begin, and
    those about which the store's clock cannot tell, are left out: there were at least so many.
    """
    clock = StoreClock(seen)
    found = []
    for job in jobs:
        began = {run.fence: run.began for run in seen.runs.get(job.id, ())}
        claimed = {one.fence: one.claimed_at for one in read_attempts(job.attempts).attempts}
        for fence, showed in {job.fence: job.claimed_at, **claimed}.items():
            at = None
            if showed is not None and fence in began:
                at = clock.instant(showed, before=began[fence])
            if at is not None:
                found.append(Grant(at, at, job.id))
    return found
