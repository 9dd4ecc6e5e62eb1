"""What a limit on running jobs costs: drains by one, two and four processes, each without a limit, with ``max_running``
of the queue and with that of the app, both as large as the concurrency of all processes together, and with a rate far
above the load. And the drain of a queue without a limit beside one that is at its limit.

Workers have 100 slots: jobs under a limit are not fetched ahead, so a worker with few slots and jobs that take no time
would measure the length of a commit.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

from benchmarks.figures import Figures
from benchmarks.measurement import Line, Measurement, Round
from benchmarks.measurements.drain import elapsed
from benchmarks.processes.worker import worker_process
from benchmarks.subject import Subject
from windlass import Windlass

_SLOTS = 100
_PROCESSES = (1, 2, 4)
_FULL = "full"

Setup = Callable[[Windlass], None]


def measure(round: Round) -> Figures:
    figures: dict[str, float] = {}
    for number in _PROCESSES:
        processes = min(number, round.scale.most_processes)
        free = _rate(round, f"free{number}", processes=processes)
        figures[f"free_{number}"] = free
        for kind, limited in (("queue", _limited_queue), ("app", _limited_app), ("rate", _rated_queue)):
            under = _rate(round, f"{kind}{number}", limited(processes * _SLOTS), processes=processes)
            figures[f"{kind}_{number}"] = under / free
    alone = _rate(round, "alone", serves=("default", _FULL))
    figures["beside_full"] = _rate(round, "beside", _fill, serves=("default", _FULL)) / alone
    return figures


def _limited_queue(most: int) -> Setup:
    return lambda app: app.queue("default").configure(max_running=most)


def _limited_app(most: int) -> Setup:
    return lambda app: app.configure(max_running=most)


def _rated_queue(most: int) -> Setup:
    """A rate far above what any store can give."""
    return lambda app: app.queue("default").configure(rate="10000000/s")


def _fill(app: Windlass) -> None:
    """A queue at its limit, with jobs that wait."""
    app.queue(_FULL).configure(max_running=1)
    app.enqueue_many([app.request("bench.async", [number], queue=_FULL) for number in range(1_000)])
    assert len(app.claim(queues=[_FULL], lease="1h")) == 1


def _rate(
    round: Round,
    name: str,
    set_up: Setup = lambda app: None,
    *,
    processes: int = 1,
    serves: tuple[str, ...] = ("default",),
) -> float:
    place = round.beside(name)
    subject = Subject(place)
    set_up(subject.app)
    jobs = subject.preload(round.scale.warm_up_jobs + round.scale.drain_jobs)
    with ExitStack() as stack:
        workers = [
            stack.enter_context(worker_process(place, serves=serves, concurrency=_SLOTS)) for _ in range(processes)
        ]
        for worker in workers:
            worker.ask("start")
        subject.wait_for_all(jobs, completed=len(jobs))
    seconds = elapsed(subject.app, jobs[round.scale.warm_up_jobs :])
    subject.app.close()
    return round.scale.drain_jobs / seconds


def _lines() -> tuple[Line, ...]:
    many = {1: "one process", 2: "two processes", 4: "four processes"}
    limits = {"queue": "limit of the queue", "app": "limit of the app", "rate": "rate far above the load"}
    return tuple(
        Line(
            key=f"limited-{kind}-{processes}",
            title=f"drain under a {said}, {many[processes]}, against none",
            figure=f"{kind}_{processes}",
            unit="×",
        )
        for kind, said in limits.items()
        for processes in _PROCESSES
    )


MEASUREMENT = Measurement(
    name="drain-limited",
    measure=measure,
    lines=(
        *_lines(),
        Line(
            key="beside-full", title="drain beside a queue at its limit, against none", figure="beside_full", unit="×"
        ),
    ),
    by_variant=False,
)
