"""Pick-up by one of many idle workers, each a process, against one worker alone."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from statistics import median

from benchmarks.figures import Figures
from benchmarks.measurement import Line, Measurement, Round
from benchmarks.processes.worker import worker_process
from benchmarks.subject import Subject
from benchmarks.timing import probe

_WARM_UP = 60


def measure(round: Round) -> Figures:
    alone, _ = _pick_up(round, "alone", workers=1)
    many, calls = _pick_up(round, "many", workers=round.scale.many_workers)
    by_kind = {f"calls_of_{kind}": count for kind, count in calls.items()}
    return {
        "alone_p50_ms": alone,
        "p50_ms": many,
        "against_one": many / alone,
        "calls_per_job": sum(calls.values()),
        **by_kind,
    }


def _pick_up(round: Round, name: str, *, workers: int) -> tuple[float, dict[str, float]]:
    """The median of the delays that all of them saw, in milliseconds, and what they asked of the store for each job, by
    the name of the call; what they ask at rest in that time is part of it.
    """
    place = round.beside(name)
    subject = Subject(place)
    with ExitStack() as stack:
        crew = [stack.enter_context(worker_process(place)) for _ in range(workers)]
        for worker in crew:
            worker.ask("start")
        _probe(subject, _WARM_UP)
        for worker in crew:
            worker.ask("forget")
        _probe(subject, round.scale.probes)
        calls = sum((Counter(worker.ask("calls")) for worker in crew), Counter[str]())
        delays = [delay for worker in crew for delay in worker.ask("all_delays")["ns"]]
    subject.app.close()
    return float(median(delays)) / 1e6, {kind: count / len(delays) for kind, count in calls.items()}


def _probe(subject: Subject, count: int) -> None:
    sent = []
    probe(lambda now: sent.append(subject.stamp.enqueue(now)), count)
    for job in sent:
        subject.wait_for(job)


MEASUREMENT = Measurement(
    name="many-workers",
    measure=measure,
    lines=(
        Line(
            key="many-workers-p50",
            title="pick-up latency of many idle workers, p50",
            figure="p50_ms",
            unit="ms",
            better="less",
        ),
        Line(
            key="many-workers-ratio",
            title="the same, against one idle worker",
            figure="against_one",
            unit="×",
            better="less",
        ),
        Line(
            key="many-workers-calls",
            title="calls of all of them for each job",
            figure="calls_per_job",
            unit="calls",
            better="less",
        ),
    ),
)
