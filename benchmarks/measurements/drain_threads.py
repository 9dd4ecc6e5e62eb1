"""Plain functions that do nothing, in the threads of one worker process."""

from __future__ import annotations

from functools import partial

from benchmarks.measurement import Line, Measurement
from benchmarks.measurements.drain import drain

MEASUREMENT = Measurement(
    name="drain-threads",
    measure=partial(drain, executor="threads"),
    lines=(
        Line(key="drain-threads", title="thread drain", figure="jobs_per_second", unit="jobs/s"),
        Line(key="cpu-threads", title="worker CPU per job, threads", figure="cpu_us_per_job", unit="µs", better="less"),
    ),
    versus="drain",
)
