"""What time limits, logs and hooks cost a worker, each by itself: CPU time beyond that of a task with none of them."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.figures import Figures
from benchmarks.measurement import Line, Measurement, Round
from benchmarks.measurements.drain import drain

_FEATURES = {
    "time_limit": ("async", False),
    "log_line": ("logging", False),
    "kept_log": ("keeping", False),
    "hook": ("bare", True),
}
"""Which task shows a feature, and whether its worker has a hook. All but the hook have the time limit as well."""


def measure(round: Round) -> Figures:
    bare = drain(round, executor="bare")
    costs = {f"{feature}_us": _cpu(round, feature) - bare["cpu_us_per_job"] for feature in _FEATURES}
    return {"jobs_per_second": bare["jobs_per_second"], "cpu_us_per_job": bare["cpu_us_per_job"], **costs}


def _cpu(round: Round, feature: str) -> float:
    executor, hooked = _FEATURES[feature]
    beside = replace(round, place=round.beside(feature))
    return drain(beside, executor=executor, hooked=hooked)["cpu_us_per_job"]


MEASUREMENT = Measurement(
    name="drain-features",
    measure=measure,
    lines=(
        Line(key="drain-bare", title="async drain without time limits", figure="jobs_per_second", unit="jobs/s"),
        Line(key="cpu-bare", title="worker CPU per job, bare", figure="cpu_us_per_job", unit="µs", better="less"),
        *(
            Line(key=f"cost-{feature}", title=f"{title}, CPU per job", figure=f"{feature}_us", unit="µs", better="less")
            for feature, title in (
                ("time_limit", "and a time limit"),
                ("log_line", "and one line of log"),
                ("kept_log", "and its log kept"),
                ("hook", "and a hook, no limit"),
            )
        ),
    ),
    by_variant=False,
)
