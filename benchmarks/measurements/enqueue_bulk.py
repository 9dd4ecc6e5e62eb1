"""One client that enqueues batches, each of them atomic; no worker runs."""

from __future__ import annotations

from benchmarks.figures import Figures
from benchmarks.measurement import Line, Measurement, Round
from benchmarks.subject import Subject
from benchmarks.timing import jobs_per_second


def measure(round: Round) -> Figures:
    subject = Subject(round.place)
    enqueue_many = subject.noops["async"].enqueue_many
    calls = [(index,) for index in range(round.scale.bulk_batch)]
    stored = 0

    def enqueue_batch(_: int) -> int:
        nonlocal stored
        added = len(enqueue_many(calls))
        stored += added
        return added

    enqueue_batch(0)
    rate = jobs_per_second(enqueue_batch, seconds=round.scale.enqueue_seconds)
    subject.check_pending(stored)
    subject.app.close()
    return {"jobs_per_second": rate}


MEASUREMENT = Measurement(
    name="enqueue-bulk",
    measure=measure,
    lines=(Line(key="enqueue-bulk", title="bulk enqueue, one client", figure="jobs_per_second", unit="jobs/s"),),
    versus="enqueue-bulk",
)
