"""Async tasks that do nothing, one worker process."""

from __future__ import annotations

from functools import partial

from benchmarks.measurement import Line, Measurement
from benchmarks.measurements.drain import drain

MEASUREMENT = Measurement(
    name="drain-async",
    measure=partial(drain, executor="async"),
    lines=(
        Line(key="drain-async", title="async drain", figure="jobs_per_second", unit="jobs/s"),
        Line(key="cpu-async", title="worker CPU per job, async", figure="cpu_us_per_job", unit="µs", better="less"),
    ),
    versus="drain",
)
