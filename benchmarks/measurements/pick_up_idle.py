"""How soon an idle worker process starts a job that another process enqueues, the commit included."""

from __future__ import annotations

from benchmarks.figures import Figures
from benchmarks.measurement import Line, Measurement, Round
from benchmarks.processes.worker import worker_process
from benchmarks.subject import Subject
from benchmarks.timing import probe

_WARM_UP = 20


def measure(round: Round) -> Figures:
    subject = Subject(round.place)
    with worker_process(round.place) as worker:
        worker.ask("start")
        _probe(subject, _WARM_UP)
        worker.ask("forget")
        _probe(subject, round.scale.probes)
        figures: Figures = worker.ask("delays")
    subject.app.close()
    return figures


def _probe(subject: Subject, count: int) -> None:
    sent = []
    probe(lambda now: sent.append(subject.stamp.enqueue(now)), count)
    subject.wait_for(sent[-1])


MEASUREMENT = Measurement(
    name="pick-up-idle",
    measure=measure,
    lines=(
        Line(key="pick-up-idle-p50", title="pick-up latency idle, p50", figure="p50_ms", unit="ms", better="less"),
        Line(key="pick-up-idle-p99", title="pick-up latency idle, p99", figure="p99_ms", unit="ms", better="less"),
    ),
    versus="pick-up-idle",
)
