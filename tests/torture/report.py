"""What a run of the rack prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tests.torture.evidence import Evidence, Run
from tests.torture.faults import Incident
from tests.torture.finding import Finding
from tests.torture.plan import OF_STORE, Kind
from tests.torture.traffic.setting import NARROW, RATED
from tests.torture.traffic.timelines import StoreClock, lawful_runs
from windlass.core.records import JobRecord

_SHOWN = 12
"""Findings of one invariant that are printed; the others are counted."""
_INTERRUPTED = ("JobInterrupted", "CancelledError", "interrupted")


@dataclass(slots=True)
class Report:
    """Figures and findings of one run."""

    store: str
    seed: int
    seconds: float
    command: str
    """What repeats it."""
    findings: Sequence[Finding] = ()
    figures: dict[str, object] = field(default_factory=dict)
    faults: Counter[Kind] = field(default_factory=Counter)
    diagnosis: str = ""
    """What the logs say about the jobs of the findings, and where the processes stood when something was stuck."""

    @property
    def is_good(self) -> bool:
        return not self.findings

    def __str__(self) -> str:
        lines = [f"store {self.store}, seed {self.seed}, {self.seconds:g} s of faults"]
        lines += [f"  {name:28} {value}" for name, value in self.figures.items()]
        lines += [f"  {kind:34} {count}" for kind, count in sorted(self.faults.items())]
        for invariant in sorted({finding.invariant for finding in self.findings}):
            found = [finding for finding in self.findings if finding.invariant == invariant]
            lines += [f"BROKEN {finding}" for finding in found[:_SHOWN]]
            lines += [f"BROKEN {invariant}: and {len(found) - _SHOWN} more"] * (len(found) > _SHOWN)
        lines += [self.diagnosis] * bool(self.diagnosis)
        lines.append("all invariants hold" if self.is_good else f"{len(self.findings)} findings")
        lines.append(f"repeat: {self.command}")
        return "\n".join(lines)


def figures_of(seen: Evidence) -> dict[str, object]:
    runs = [run for of_job in seen.runs.values() for run in of_job]
    states = Counter(str(job.state) for job in seen.records.values())
    return {
        "jobs acknowledged": len(seen.acked),
        "jobs at the end": ", ".join(f"{count} {state}" for state, count in sorted(states.items())),
        "runs": len(runs),
        "runs that never ended": sum(run.ended is None for run in runs),
        "interrupts": sum(run.how in _INTERRUPTED for run in runs),
        "deaths by poison": sum(map(len, seen.dying.values())),
        "refused stale writes": sum(list(kinds).count("refused") for kinds in seen.kinds.values()),
        "rescues of jobs": sum(list(kinds).count("rescued") for kinds in seen.kinds.values()),
        "answers to waiters": len(seen.saw),
        "enqueues refused, unsure": f"{len(seen.refused)}, {len(seen.unsure)}",
        "longest recovery": longest_recovery(seen),
        "longest wait for a rescue": longest_rescue(seen),
        "fires, tokens": f"{len(seen.fired)}, {len(seen.tokens)}",
        "claims over HTTP": len({(line.job, line.fence) for line in seen.leased}),
        "refused over HTTP, stale": sum(line.status == 409 for line in seen.answered),
        "runs that limits and rates held": sum(len(lawful_runs(job, seen)) for job in _limited_jobs(seen)),
    }


def longest_recovery(seen: Evidence) -> str:
    """From the end of a fault of the store to the next run, or from a death of a worker to the next run of its jobs."""
    begins = sorted(run.began for runs in seen.runs.values() for run in runs)
    waits: list[tuple[float, str]] = [(0.0, "")]
    for incident in seen.incidents:
        kind, until = incident.fault.kind, incident.until
        if kind in OF_STORE and until is not None:
            waits += [(began - until, f"the first run after: {kind}") for began in begins if began > until][:1]
        elif kind in (Kind.KILL_WORKER, Kind.CANCEL_LOST, Kind.PAUSE_WORKER):
            waits += [(wait, f"job {id} after: {kind}") for id, wait in _reruns(incident, seen)]
    longest, what = max(waits)
    return f"{longest:.1f} s ({what})"


def longest_rescue(seen: Evidence) -> str:
    """From a death of a worker until its jobs were taken from it; the rest of a recovery they wait in line."""
    clock, waits = StoreClock(seen), [(0.0, "")]
    for incident in seen.incidents:
        if incident.fault.kind in (Kind.KILL_WORKER, Kind.CANCEL_LOST):
            waits += [
                (at - incident.at, f"job {run.job} after: {incident.fault.kind}")
                for run in _struck(incident, seen)
                if (showed := seen.rescued_at.get(run.job, {}).get(run.fence)) is not None
                and (at := clock.instant(showed, before=float("inf"))) is not None
            ]
    longest, what = max(waits)
    return f"{longest:.1f} s ({what})"


def _struck(incident: Incident, seen: Evidence) -> Iterator[Run]:
    """The runs that the process had when it was struck, and did not end."""
    for runs in seen.runs.values():
        for run in runs:
            if run.pid == incident.pid and run.began <= incident.at and run.ended is None:
                yield run


def _limited_jobs(seen: Evidence) -> Iterator[JobRecord]:
    return (job for job in seen.records.values() if job.queue in (NARROW, RATED) or job.concurrency_key is not None)


def _reruns(incident: Incident, seen: Evidence) -> Iterator[tuple[str, float]]:
    """The jobs that the struck process ran, and how long it took until each ran again."""
    for struck in _struck(incident, seen):
        later = [run.began - incident.at for run in seen.runs[struck.job] if run.began > incident.at]
        if later:
            yield struck.job, min(later)
