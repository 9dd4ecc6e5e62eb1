"""How long one enqueue takes while a worker process drains a backlog of the same store at full speed."""

from __future__ import annotations

import time
from typing import Any

from benchmarks.figures import Figures, delays
from benchmarks.measurement import Line, Measurement, Round
from benchmarks.processes.worker import worker_process
from benchmarks.subject import Subject
from windlass import Job

_PAUSE = 0.002
_LOOK_EVERY = 25


def measure(round: Round) -> Figures:
    subject = Subject(round.place)
    backlog = subject.preload(round.scale.warm_up_jobs + round.scale.busy_backlog)
    with worker_process(round.place) as worker:
        worker.ask("start")
        subject.wait_for(backlog[round.scale.warm_up_jobs])
        samples = _enqueue_beside(subject, backlog[-1])
    finished_at = backlog[-1].record.finished_at or 0
    subject.app.close()
    return delays([took for sent, took in samples if sent < finished_at])


def _enqueue_beside(subject: Subject, last: Job[Any]) -> list[tuple[int, int]]:
    """Enqueue now and then until the backlog is gone: when (ms since 1970) and how long it took (ns)."""
    enqueue = subject.noops["async"].enqueue
    samples: list[tuple[int, int]] = []
    while len(samples) % _LOOK_EVERY or not last.refresh().done:
        time.sleep(_PAUSE)
        sent, began = time.time_ns() // 1_000_000, time.perf_counter_ns()
        enqueue(0)
        samples.append((sent, time.perf_counter_ns() - began))
    return samples


MEASUREMENT = Measurement(
    name="enqueue-busy",
    measure=measure,
    lines=(
        Line(
            key="enqueue-busy-p99", title="enqueue p99 beside a busy worker", figure="p99_ms", unit="ms", better="less"
        ),
    ),
)
