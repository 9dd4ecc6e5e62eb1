"""Producers and a worker together for a while: what ends in that time, against the drain figure of the same run.

Two producer processes enqueue in batches, held back only by the jobs of theirs that still wait, so the system finds its
own balance. In the end everything that was enqueued must have run once, and nothing may be left.

In a long run (``--seconds 900``) retention keeps as many finished jobs as the first minute gave: from then on every job
that ends makes another one go, and the last minute is compared with the first. So is the pace of the machine itself, by
a short loop once a second: a minute in which the machine is slower says nothing about the store.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from statistics import median
from typing import NamedTuple

from benchmarks.channel import Child
from benchmarks.figures import Figures
from benchmarks.measurement import Line, Measurement, Round
from benchmarks.processes.producer import producer_process
from benchmarks.processes.worker import worker_process
from benchmarks.subject import Subject
from benchmarks.timing import machine_pace
from windlass import Retention, State, Windlass

_PRODUCERS = 2
_FINISHED = (State.COMPLETED, State.FAILED, State.CANCELLED)
_WINDOW = 5
"""Seconds; the slowest window shows whether the rate holds. Readings come once a second."""
_LONG = 180
"""Seconds; shorter runs keep all that they finish."""
_MINUTE = 60


class Reading(NamedTuple):
    at: float
    ended: int
    """Runs since the start of the worker."""
    pace: float


def measure(round: Round) -> Figures:
    subject = Subject(round.place)
    subject.app.migrate()  # before three processes want to
    with ExitStack() as stack:
        worker = stack.enter_context(worker_process(round.place))
        producers = [stack.enter_context(producer_process(round.place)) for _ in range(_PRODUCERS)]
        for child in (worker, *producers):
            child.ask("start")
        time.sleep(round.scale.sustained_warm_up)
        is_long = round.scale.sustained_seconds >= _LONG
        keep = partial(keep_at_most, subject.app) if is_long else None
        ended = _watch(worker, round.scale.sustained_seconds, after_a_minute=keep)
        enqueued = sum(producer.ask("stop")["enqueued"] for producer in producers)
        _check_all_ended(worker, subject, enqueued)
    subject.app.close()
    rate = _rate(ended[0], ended[-1])
    first, last = _first_and_last(ended)
    return {
        "jobs_per_second": rate,
        "percent_of_drain": rate / round.known["drain-async.jobs_per_second"] * 100,
        "first_minute_per_second": _usual_rate(first),
        "last_minute_per_second": _usual_rate(last),
        "last_against_first_percent": _usual_rate(last) / _usual_rate(first) * 100,
        "pace_last_against_first_percent": _usual_pace(last) / _usual_pace(first) * 100,
        "slowest_window_percent": min(map(_rate, ended, ended[_WINDOW:]), default=rate) / rate * 100,
    }


def keep_at_most(app: Windlass, number: int) -> None:
    """Let retention keep so many finished jobs. In the store: the worker is another process, with an app of its own."""
    app.queue("default").configure(retention=Retention(at_most=number))


def _first_and_last(ended: list[Reading]) -> tuple[list[Reading], list[Reading]]:
    """The readings of the first minute and of the last, or of the halves of a short run."""
    span = max(1, min(_MINUTE, (len(ended) - 1) // 2))
    return ended[: span + 1], ended[-1 - span :]


def _usual_rate(ended: list[Reading]) -> float:
    """The median of short windows: a pause of the machine itself would decide a comparison of two means."""
    return median(map(_rate, ended, ended[_WINDOW:])) if len(ended) > _WINDOW else _rate(ended[0], ended[-1])


def _usual_pace(ended: list[Reading]) -> float:
    return median(reading.pace for reading in ended)


def _watch(worker: Child, seconds: float, *, after_a_minute: Callable[[int], None] | None) -> list[Reading]:
    """How many runs had ended at which time, once a second; the first and the last reading span the time.

    ``after_a_minute`` is called with the number after the first minute.
    """
    began = time.monotonic()
    readings: list[Reading] = []
    while True:
        answer = worker.ask("usage")
        now = time.monotonic()
        readings.append(Reading(now, int(answer["ended"]), machine_pace()))
        left = began + seconds - now
        if left <= 0:
            return readings
        if after_a_minute is not None and now - began >= _MINUTE:
            after_a_minute(readings[-1].ended)
            after_a_minute = None
        time.sleep(min(1.0, left))


def _rate(earlier: Reading, later: Reading) -> float:
    return (later.ended - earlier.ended) / (later.at - earlier.at)


def _check_all_ended(worker: Child, subject: Subject, enqueued: int) -> None:
    """The store's count of completed jobs would not do: retention lets go of some of them in a long run."""
    until = time.monotonic() + 120
    while (ended := worker.ask("usage")["ended"]) < enqueued or _unfinished(subject.app.counts()):
        if time.monotonic() > until:
            break
        time.sleep(0.1)
    counted = subject.app.counts()
    if ended != enqueued or _unfinished(counted) or counted[State.FAILED]:
        raise RuntimeError(f"{enqueued} jobs were enqueued, {ended} runs ended, the store says {counted}")


def _unfinished(counted: dict[str, int]) -> int:
    return sum(count for state, count in counted.items() if state not in _FINISHED)


MEASUREMENT = Measurement(
    name="sustained",
    measure=measure,
    lines=(
        Line(key="sustained", title="sustained, % of async drain", figure="percent_of_drain", unit="%"),
        Line(
            key="sustained-hold",
            title="sustained, last minute in % of the first",
            figure="last_against_first_percent",
            unit="%",
        ),
        Line(
            key="sustained-pace",
            title="the machine's own pace, last minute in % of the first",
            figure="pace_last_against_first_percent",
            unit="%",
        ),
        Line(key="sustained-rate", title="sustained", figure="jobs_per_second", unit="jobs/s"),
    ),
    needs=("drain-async",),
)
