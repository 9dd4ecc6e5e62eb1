"""How fast one worker drains a thousand and ten thousand queues, against one queue with as many jobs.

The jobs of a queue were stored together, which is the worst order for a store that writes pages.
"""

from __future__ import annotations

from benchmarks.figures import Figures
from benchmarks.measurement import Line, Measurement, Round
from benchmarks.measurements.drain import elapsed
from benchmarks.processes.worker import worker_process
from benchmarks.subject import Subject

_COUNTS = (1_000, 10_000)


def measure(round: Round) -> Figures:
    alone = _rate(round, "one", queues=1)
    rates = {count: _rate(round, f"many{count}", queues=_scaled(round, count)) for count in _COUNTS}
    return {
        "one_queue": alone,
        **{f"share_of_{count}": rate / alone for count, rate in rates.items()},
    }


def _scaled(round: Round, count: int) -> int:
    """No more queues than jobs: four to each at the least."""
    return min(count, max(2, round.scale.drain_jobs // 4))


def _rate(round: Round, name: str, *, queues: int) -> float:
    place = round.beside(name)
    subject = Subject(place)
    jobs = subject.preload_queues(round.scale.drain_jobs, queues=queues)
    with worker_process(place, queues=queues) as worker:
        worker.ask("start")
        subject.wait_for_completed(len(jobs))
    seconds = elapsed(subject.app, jobs)
    subject.app.close()
    return len(jobs) / seconds


MEASUREMENT = Measurement(
    name="many-queues",
    measure=measure,
    lines=tuple(
        Line(
            key=f"many-queues-{count}",
            title=f"drain of {count:,} queues, against one",
            figure=f"share_of_{count}",
            unit="×",
        )
        for count in _COUNTS
    ),
)
