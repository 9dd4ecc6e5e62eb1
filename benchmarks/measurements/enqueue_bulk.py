"""One client that enqueues batches, each of them atomic; no worker runs."""

from __future__ import annotations

from benchmarks.figures import Figures
from benchmarks.measurement import Line, Measurement, Round
from benchmarks.subject import Subject
from benchmarks.timing import jobs_per_second


def measure(round: Round) -> Figures:
    subject = Subject(round.url)
    enqueue_many = subject.noops["async"].enqueue_many
    calls = [(index,) for index in range(round.scale.bulk_batch)]
    enqueue_many(calls)
    rate = jobs_per_second(lambda _: len(enqueue_many(calls)), seconds=round.scale.enqueue_seconds)
    subject.app.close()
    return {"jobs_per_second": rate}


MEASUREMENT = Measurement(
    name="enqueue-bulk",
    measure=measure,
    lines=(Line(key="enqueue-bulk", title="bulk enqueue, one client", figure="jobs_per_second", unit="jobs/s"),),
    versus="enqueue-bulk",
)
