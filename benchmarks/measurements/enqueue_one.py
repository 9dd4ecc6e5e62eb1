"""One client that enqueues one job after the other, each with a commit of its own; no worker runs."""

from __future__ import annotations

from itertools import count

from benchmarks.figures import Figures
from benchmarks.measurement import Line, Measurement, Round
from benchmarks.subject import Subject
from benchmarks.timing import jobs_per_second

_WARM_UP = 100


def measure(round: Round) -> Figures:
    subject = Subject(round.place)
    enqueue, numbers = subject.noops["async"].enqueue, count()

    def enqueue_one(_: int) -> int:
        enqueue(next(numbers))
        return 1

    for index in range(_WARM_UP):
        enqueue_one(index)
    rate = jobs_per_second(enqueue_one, seconds=round.scale.enqueue_seconds)
    subject.check_pending(next(numbers))
    subject.app.close()
    return {"jobs_per_second": rate}


MEASUREMENT = Measurement(
    name="enqueue-one",
    measure=measure,
    lines=(
        Line(key="enqueue-one", title="enqueue one at a time, one client", figure="jobs_per_second", unit="jobs/s"),
    ),
    versus="enqueue-one",
)
