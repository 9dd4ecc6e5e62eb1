"""How soon the jobs of many schedules that are due at once start, and what very many schedules cost at rest."""

from __future__ import annotations

import time

from benchmarks.figures import Figures
from benchmarks.measurement import Line, Measurement, Round
from benchmarks.processes.worker import worker_process
from benchmarks.subject import Subject

_EVERY = "5s"
_NEVER = "0 0 29 2 *"
"""A leap day: not while it is measured."""


def measure(round: Round) -> Figures:
    return {**_fires(round), **_at_rest(round)}


def _fires(round: Round) -> Figures:
    """From the planned instant to the first line of the task; the first slot, in which the worker is cold, does not
    count.
    """
    place = round.beside("due")
    subject = Subject(place)
    number = round.scale.due_schedules
    for index in range(number):
        subject.app.add_schedule(f"due-{index}", subject.planned, every=_EVERY)
    with worker_process(place) as worker:
        worker.ask("start")
        subject.wait_for_completed(number)
        worker.ask("forget")
        subject.wait_for_completed(2 * number)
        figures: Figures = worker.ask("delays")
    subject.app.close()
    return {"fire_p50_ms": figures["p50_ms"], "fire_p99_ms": figures["p99_ms"]}


def _at_rest(round: Round) -> Figures:
    place = round.beside("rest")
    subject = Subject(place)
    for index in range(round.scale.resting_schedules):
        subject.app.add_schedule(f"rest-{index}", subject.planned, cron=_NEVER)
    with worker_process(place) as worker:
        worker.ask("start")
        time.sleep(round.scale.rest_settling)
        before, began = worker.ask("usage"), time.monotonic()
        time.sleep(round.scale.rest_seconds)
        after, seconds = worker.ask("usage"), time.monotonic() - began
    subject.app.close()
    return {"leader_cpu_percent": (after["cpu"] - before["cpu"]) / seconds * 100}


MEASUREMENT = Measurement(
    name="schedules",
    measure=measure,
    lines=(
        Line(
            key="schedules-fire-p99",
            title="start of the jobs of 1,000 schedules due at once, p99",
            figure="fire_p99_ms",
            unit="ms",
            better="less",
        ),
        Line(
            key="schedules-rest-cpu",
            title="leader beside 10,000 schedules at rest, CPU",
            figure="leader_cpu_percent",
            unit="%",
            better="less",
        ),
    ),
    by_variant=False,
)
