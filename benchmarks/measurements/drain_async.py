"""Async tasks that do nothing, one worker process."""

from __future__ import annotations

from functools import partial

from benchmarks.measurement import Line, Measurement
from benchmarks.measurements.drain import cpu_lines, drain

MEASUREMENT = Measurement(
    name="drain-async",
    measure=partial(drain, executor="async"),
    lines=(
        Line(key="drain-async", title="async drain", figure="jobs_per_second", unit="jobs/s"),
        *cpu_lines("async", "async"),
    ),
    versus="drain",
)
