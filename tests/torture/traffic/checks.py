"""Checks schedules, limits, keys and rates, by the lines of tasks and callers and by the store.

Which runs count against a limit says ``timelines.lawful_runs``, which claims against a rate ``timelines.claims``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from tests.torture.evidence import Evidence, Run
from tests.torture.finding import Finding
from tests.torture.plan import Kind
from tests.torture.traffic.setting import (
    KEY_LIMITS,
    MOST_NARROW,
    MOST_OF_APP,
    NARROW,
    QUEUE_RATE,
    RATED,
    TIMETABLES,
    UPSTREAM_RATE,
)
from tests.torture.traffic.slots import undecided
from tests.torture.traffic.timelines import Excess, Grant, claims, crowd, excess, lawful_runs
from windlass.core.limits.concurrency import shown_key
from windlass.core.meta import read_meta
from windlass.core.state import FINISHED


def slots_fire_once(seen: Evidence) -> Iterator[Finding]:
    """I7: no slot of a schedule has two jobs."""
    for (schedule, slot), jobs in sorted(_jobs_by_slot(seen).items()):
        if len(jobs) > 1:
            yield Finding("I7", f"slot {slot} of schedule {schedule} has {len(jobs)} jobs: {', '.join(sorted(jobs))}")


def slots_are_decided(seen: Evidence) -> Iterator[Finding]:
    """I7: the ledger says of every slot what became of it, and names the job if there is one."""
    made = _jobs_by_slot(seen)
    for table in TIMETABLES:
        rows = seen.slots.rows.get(table.name, {})
        gone = list(undecided(table, rows, until=seen.slots.decided_until.get(table.name, 0)))
        if gone:
            yield Finding(
                "I7", f"the ledger of schedule {table.name} says nothing of {len(gone)} slots, the first is {gone[0]}"
            )
        for slot, row in sorted(rows.items()):
            jobs = made.get((table.name, slot), set())
            if row.job is not None and row.job not in jobs:
                yield Finding("I7", f"slot {slot} of schedule {table.name} made job {row.job}, which is not there")
            if row.job is None and jobs:
                yield Finding("I7", f"slot {slot} of schedule {table.name} is {row.outcome} and has job {min(jobs)}")


def _jobs_by_slot(seen: Evidence) -> dict[tuple[str, int], set[str]]:
    found: dict[tuple[str, int], set[str]] = defaultdict(set)
    for fired in seen.fired:
        found[fired.schedule, fired.slot].add(fired.job)
    for id, job in seen.records.items():
        meta = read_meta(job.meta)
        if meta.schedule is not None and meta.planned_at is not None:
            found[meta.schedule, meta.planned_at].add(id)
    return found


def limits_hold(seen: Evidence) -> Iterator[Finding]:
    """I13: never more runs at once than a queue, the app, a key or a schedule allows."""
    for what, (most, runs) in sorted(_limited(seen).items()):
        found = crowd(runs, most=most)
        if found:
            yield Finding("I13", f"{len(found)} runs at once of {what}, which allows {most}; {_told(found)}")


def _limited(seen: Evidence) -> dict[str, tuple[int, list[Run]]]:
    groups: dict[str, tuple[int, list[Run]]] = {"the app": (MOST_OF_APP, [])}
    exclusive = {table.name for table in TIMETABLES if table.is_exclusive}
    for job in seen.records.values():
        runs = [run for run in lawful_runs(job, seen) if run.began < seen.limited_until]
        groups["the app"][1].extend(runs)
        if job.queue == NARROW:
            groups.setdefault(f"queue {NARROW}", (MOST_NARROW, []))[1].extend(runs)
        if job.concurrency_key is not None:
            name = f"key {shown_key(job.concurrency_key)} of task {job.task}"
            groups.setdefault(name, (KEY_LIMITS[job.task], []))[1].extend(runs)
        schedule = read_meta(job.meta).schedule
        if schedule in exclusive:
            groups.setdefault(f"schedule {schedule}", (1, []))[1].extend(runs)
    return groups


def rates_hold(seen: Evidence) -> Iterator[Finding]:
    """I14: in no span of time more claims, or tokens, than the rate brings in it, and the burst."""
    steps = [incident.at for incident in seen.incidents if incident.fault.kind is Kind.CLOCK_STEP]
    rated = [job for job in seen.records.values() if job.queue == RATED]
    yield from _beyond(f"claims of queue {RATED}", excess(claims(rated, seen), QUEUE_RATE, steps=steps))
    tokens = [Grant(token.asked, token.at, token.to) for token in seen.tokens]
    yield from _beyond("tokens of the limit", excess(tokens, UPSTREAM_RATE, steps=steps))


def _beyond(what: str, found: Excess | None) -> Iterator[Finding]:
    if found is not None:
        yield Finding(
            "I14",
            f"{found.number} {what} within {found.seconds:.3f} s, which allow {found.allowed:.1f}: "
            f"from job {found.first.to} at {found.first.asked:.3f} to job {found.last.to} at {found.last.at:.3f}",
        )


def nothing_is_counted(seen: Evidence) -> Iterator[Finding]:
    """I13: when all jobs have ended, no counter says otherwise, no key is held, and none had to be mended before."""
    if all(job.state in FINISHED for job in seen.records.values()):
        yield from (Finding("I13", what) for what in seen.still_counted)
    yield from (Finding("I13", what) for what in seen.mended)


def _told(runs: Sequence[Run]) -> str:
    return ", ".join(f"job {run.job} from {run.began:.3f} until {run.ended or 0:.3f} in {run.pid}" for run in runs[:6])


CHECKS = (slots_fire_once, slots_are_decided, limits_hold, rates_hold, nothing_is_counted)
