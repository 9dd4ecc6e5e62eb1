"""What a limit on running jobs costs: drains by one, two and four processes, each without a limit, with ``max_running``
of the queue and with that of the app, both as large as the concurrency of all processes together, and with a rate far
above the load. And the drain of a queue without a limit beside one that is at its limit.

Workers have 100 slots: jobs under a limit are not fetched ahead, so a worker with few slots and jobs that take no time
would measure the length of a commit.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from statistics import median

from benchmarks.figures import Figures
from benchmarks.measurement import Line, Measurement, Round
from benchmarks.measurements.drain import elapsed
from benchmarks.processes.worker import worker_process
from benchmarks.subject import Subject
from windlass import Windlass

_SLOTS = 100
_PROCESSES = (1, 2, 4)
_TURNS = 3
"""How often drains of one process are compared: a machine may get half as fast again, and slow down, within seconds."""
_FULL = "full"

Setup = Callable[[Windlass], None]


def measure(round: Round) -> Figures:
    figures: dict[str, float] = {}
    for number in _PROCESSES:
        figures |= _compared(round, number)
    figures["beside_full"] = median(_beside(round, turn) for turn in range(2 * _turns(round, 1)))
    return figures


def _turns(round: Round, processes: int) -> int:
    is_trial = round.scale.most_processes == 1
    return 1 if processes > 1 or is_trial else _TURNS


def _compared(round: Round, number: int) -> Figures:
    """Drains by so many processes, each kind against one without a limit in the same turn; the median of the turns."""
    processes = min(number, round.scale.most_processes)
    free: list[float] = []
    ratios: dict[str, list[float]] = {}
    for turn in range(_turns(round, number)):
        free.append(_rate(round, f"free{number}x{turn}", processes=processes))
        for kind, limited in (("queue", _limited_queue), ("app", _limited_app), ("rate", _rated_queue)):
            under = _rate(round, f"{kind}{number}x{turn}", limited(processes * _SLOTS), processes=processes)
            ratios.setdefault(f"{kind}_{number}", []).append(under / free[-1])
    return {f"free_{number}": median(free), **{name: median(each) for name, each in ratios.items()}}


def _beside(round: Round, turn: int) -> float:
    """In every second turn the other one is first: the later of two drains finds a server that holds more."""
    both: list[tuple[str, Setup]] = [("alone", _leave_empty), ("beside", _fill)]
    rates = {
        name: _rate(round, f"{name}{turn}", set_up, serves=("default", _FULL))
        for name, set_up in (both if turn % 2 == 0 else reversed(both))
    }
    return rates["beside"] / rates["alone"]


def _limited_queue(most: int) -> Setup:
    return lambda app: app.queue("default").configure(max_running=most)


def _limited_app(most: int) -> Setup:
    return lambda app: app.configure(max_running=most)


def _rated_queue(most: int) -> Setup:
    """A rate far above what any store can give."""
    return lambda app: app.queue("default").configure(rate="10000000/s")


def _leave_empty(app: Windlass) -> None:
    """No limit, and no jobs but those that are drained."""


def _fill(app: Windlass) -> None:
    """A queue at its limit, with jobs that wait."""
    app.queue(_FULL).configure(max_running=1)
    app.enqueue_many([app.request("bench.async", [number], queue=_FULL) for number in range(1_000)])
    assert len(app.claim(queues=[_FULL], lease="1h")) == 1


def _rate(
    round: Round,
    name: str,
    set_up: Setup = _leave_empty,
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
