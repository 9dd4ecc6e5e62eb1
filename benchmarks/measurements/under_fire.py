"""What many clients of ``windlass web`` cost a drain.

A worker drains beside a web process with event streams and requests, and alone, in turns, each on an empty store. Two
drains that follow each other are a pair, and every second pair begins with the other one. The loss is the median of
the pairs. Clients and web process share the cores with the worker, so what the clients themselves use is part of it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median

from benchmarks.channel import Child
from benchmarks.figures import Figures
from benchmarks.measurement import Line, Measurement, Round
from benchmarks.measurements.drain import elapsed
from benchmarks.place import Place
from benchmarks.processes.command import web_command
from benchmarks.processes.web_clients import web_clients
from benchmarks.processes.worker import worker_process
from benchmarks.subject import Subject

REQUESTS = 50
"""In a second."""
_PATIENCE = 30.0


@dataclass
class _Drain:
    """One drain, and what the clients got meanwhile."""

    per_second: float
    answered: float = 0.0
    """Requests a second."""
    frames: float = 0.0
    """Events of all streams, a second."""


def measure(round: Round) -> Figures:
    pairs = [_pair(round, number) for number in range(round.scale.fire_pairs)]
    return {
        "alone_per_second": median(alone.per_second for alone, _ in pairs),
        "under_fire_per_second": median(fired.per_second for _, fired in pairs),
        "loss_percent": median((1 - fired.per_second / alone.per_second) * 100 for alone, fired in pairs),
        "streams": round.scale.fire_streams,
        "answered_per_second": median(fired.answered for _, fired in pairs),
        "frames_per_second": median(fired.frames for _, fired in pairs),
    }


def _pair(round: Round, number: int) -> tuple[_Drain, _Drain]:
    if number % 2 == 0:
        alone = _drained(round, f"alone{number}", is_fired_at=False)
        return alone, _drained(round, f"fired{number}", is_fired_at=True)
    fired = _drained(round, f"fired{number}", is_fired_at=True)
    return _drained(round, f"alone{number}", is_fired_at=False), fired


def _drained(round: Round, name: str, *, is_fired_at: bool) -> _Drain:
    warm_up, timed = round.scale.warm_up_jobs, round.scale.fire_jobs
    place = round.beside(name)
    subject = Subject(place)
    jobs = subject.preload(warm_up + timed)
    drain = _Drain(0.0)
    with worker_process(place) as worker, _fire(round, place, drain, is_wanted=is_fired_at):
        worker.ask("start")
        subject.wait_for_all(jobs, completed=len(jobs))
    drain.per_second = timed / elapsed(subject.app, jobs[warm_up:])
    subject.app.close()
    return drain


@contextmanager
def _fire(round: Round, place: Place, drain: _Drain, *, is_wanted: bool) -> Iterator[None]:
    """Have clients ask during a block, and note what they got. One that got nothing fails the round: it would look
    like a drain without a loss.
    """
    if not is_wanted:
        yield
        return
    with (
        web_command(place, "benchmarks.processes.noops") as address,
        web_clients(address, streams=round.scale.fire_streams, per_second=REQUESTS) as clients,
    ):
        clients.ask("start")
        clients.ask("forget")
        began = time.monotonic()
        yield
        seconds = time.monotonic() - began
        counted = clients.ask("counted")
        drain.answered, drain.frames = counted["answered"] / seconds, counted["frames"] / seconds
        _check(clients)


def _check(clients: Child) -> None:
    """That requests and streams are answered at all. A drain may be over before the next reading for the streams."""
    until = time.monotonic() + _PATIENCE
    while not ((counted := clients.ask("counted"))["answered"] and counted["frames"]):
        if time.monotonic() > until:
            raise RuntimeError(f"the server answered nothing, or sent no event: {counted}")
        time.sleep(0.1)


MEASUREMENT = Measurement(
    name="under-fire",
    measure=measure,
    lines=(
        Line(
            key="under-fire",
            title="loss of the drain by 200 event streams and 50 requests/s",
            figure="loss_percent",
            unit="%",
            better="less",
        ),
    ),
    by_variant=False,
)
