"""How soon jobs start while they arrive at half of the rate at which a worker process drains.

One client sends a batch every 10 ms. A job's time runs from when its batch was due, so that a client that is held up
does not hide what the jobs behind it would have waited.
"""

from __future__ import annotations

import time

from benchmarks.channel import Child
from benchmarks.figures import Figures
from benchmarks.measurement import Line, Measurement, Round
from benchmarks.processes.worker import worker_process
from benchmarks.subject import Subject

_EVERY_NS = 10_000_000
_WARM_UP = 1.0


def measure(round: Round) -> Figures:
    rate = round.known["drain-async.jobs_per_second"] / 2
    batch = max(1, int(rate * _EVERY_NS / 1e9))
    subject = Subject(round.place)
    with worker_process(round.place) as worker:
        worker.ask("start")
        _send(subject, batch, seconds=_WARM_UP)
        worker.ask("forget")
        reached = _send(subject, batch, seconds=round.scale.load_seconds)
        figures = _delays(worker)
    subject.app.close()
    return {**figures, "load_percent_of_drain": reached / rate * 50}


def _send(subject: Subject, batch: int, *, seconds: float) -> float:
    """Send batches on time; the rate that was reached. Returns once all have run."""
    began = time.monotonic_ns()
    count = max(1, int(seconds * 1e9 / _EVERY_NS))
    jobs = []
    for number in range(count):
        due = began + number * _EVERY_NS
        time.sleep(max(0, due - time.monotonic_ns()) / 1e9)
        jobs = subject.stamp.enqueue_many([(due,)] * batch)
    reached = count * batch / ((time.monotonic_ns() - began) / 1e9)
    subject.wait_for(jobs[-1])
    return reached


def _delays(worker: Child) -> Figures:
    figures: Figures = worker.ask("delays")
    return figures


MEASUREMENT = Measurement(
    name="pick-up-half-load",
    measure=measure,
    lines=(
        Line(key="pick-up-half-load-p99", title="pick-up p99 at half load", figure="p99_ms", unit="ms", better="less"),
    ),
    needs=("drain-async",),
)
