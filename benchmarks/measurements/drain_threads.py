"""Plain functions that do nothing, in the threads of one worker process."""

from __future__ import annotations

from functools import partial

from benchmarks.measurement import Line, Measurement
from benchmarks.measurements.drain import cpu_lines, drain

MEASUREMENT = Measurement(
    name="drain-threads",
    measure=partial(drain, executor="threads"),
    lines=(
        Line(key="drain-threads", title="thread drain", figure="jobs_per_second", unit="jobs/s"),
        *cpu_lines("threads", "threads"),
    ),
    versus="drain",
)
