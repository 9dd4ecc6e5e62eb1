"""Plain functions that do nothing, in two child processes of one worker process."""

from __future__ import annotations

from functools import partial

from benchmarks.measurement import Line, Measurement
from benchmarks.measurements.drain import cpu_lines, drain

MEASUREMENT = Measurement(
    name="drain-processes",
    measure=partial(drain, executor="processes"),
    lines=(
        Line(key="drain-processes", title="process drain, 2 children", figure="jobs_per_second", unit="jobs/s"),
        *cpu_lines("processes", "processes"),
    ),
)
