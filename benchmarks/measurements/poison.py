"""A queue with one job in a thousand that kills its process, against the same queue without.

Two worker processes under a supervisor, ten jobs of 100 ms at a time in each, as ``windlass worker`` starts them.
"""

from __future__ import annotations

import time

from benchmarks.figures import Figures
from benchmarks.measurement import Line, Measurement, Round
from benchmarks.place import Place
from benchmarks.processes.command import worker_command
from windlass import State, Windlass

_EACH = 1000
"""Of so many jobs one is poison."""
_PATIENCE = 300.0


def measure(round: Round) -> Figures:
    jobs = round.scale.poison_jobs
    lease = round.scale.poison_lease
    sound = _rate(round.beside("sound"), jobs, lease=lease)
    poisoned = _rate(round.beside("poisoned"), jobs, lease=lease, poison_at=min(jobs, _EACH) // 2)
    return {"sound_per_second": sound, "poisoned_per_second": poisoned, "percent": poisoned / sound * 100}


def _rate(place: Place, jobs: int, *, lease: str, poison_at: int | None = None) -> float:
    """How many jobs return in a second. The last tenth is not waited for: what a dead process held comes back when its
    lease has expired, and how long that takes is a setting.
    """
    with Windlass(place.url, namespace=place.namespace) as app:
        app.enqueue_many(
            app.request("bench.poison" if number % _EACH == poison_at else "bench.innocent", ())
            for number in range(jobs)
        )
        expected = jobs * 9 // 10
        with worker_command(place, "benchmarks.processes.poisoned", "--processes=2", "-c10", f"--lease={lease}"):
            _await_completed(app, 1)
            began = time.monotonic()
            _await_completed(app, expected)
            return expected / (time.monotonic() - began)


def _await_completed(app: Windlass, count: int) -> None:
    until = time.monotonic() + _PATIENCE
    while (counted := app.counts())[State.COMPLETED] < count:
        if time.monotonic() > until:
            raise RuntimeError(f"{count} jobs should have completed, the store says {counted}")
        time.sleep(0.05)


MEASUREMENT = Measurement(
    name="poison",
    measure=measure,
    lines=(
        Line(
            key="poison",
            title="jobs a second with one poison in 1,000, % of those without",
            figure="percent",
            unit="%",
        ),
    ),
    by_variant=False,
)
