"""Async tasks that do nothing, two worker processes on one store."""

from __future__ import annotations

from functools import partial

from benchmarks.measurement import Line, Measurement
from benchmarks.measurements.drain import cpu_lines, drain

MEASUREMENT = Measurement(
    name="drain-two",
    measure=partial(drain, executor="async", processes=2),
    lines=(
        Line(key="drain-two", title="two worker processes, async", figure="jobs_per_second", unit="jobs/s"),
        *cpu_lines("two", "two processes"),
    ),
)
