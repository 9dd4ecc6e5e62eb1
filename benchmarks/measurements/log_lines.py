"""What a line of log for every ended run costs a drain.

``windlass worker`` with ``--log-jobs on`` and with ``off`` in turns, each on an empty store, its log in a file. Two
drains that follow each other are a pair, and every second pair begins with the other one: what slows the machine for
a while hits both. The loss is the median of the pairs.
"""

from __future__ import annotations

from statistics import median

from benchmarks.figures import Figures
from benchmarks.measurement import Line, Measurement, Round
from benchmarks.measurements.drain import elapsed
from benchmarks.processes.command import worker_command
from benchmarks.subject import Subject


def measure(round: Round) -> Figures:
    pairs = [_pair(round, number) for number in range(round.scale.log_pairs)]
    return {
        "off_per_second": median(pair["off"] for pair in pairs),
        "on_per_second": median(pair["on"] for pair in pairs),
        "loss_percent": median((1 - pair["on"] / pair["off"]) * 100 for pair in pairs),
    }


def _pair(round: Round, number: int) -> dict[str, float]:
    order = ("off", "on") if number % 2 == 0 else ("on", "off")
    return {log_jobs: _rate(round, log_jobs, name=f"{log_jobs}{number}") for log_jobs in order}


def _rate(round: Round, log_jobs: str, *, name: str) -> float:
    warm_up, timed = round.scale.warm_up_jobs, round.scale.drain_jobs
    place, log = round.beside(name), round.folder / f"{name}.log"
    subject = Subject(place)
    jobs = subject.preload(warm_up + timed)
    with worker_command(place, "benchmarks.processes.noops", f"--log-jobs={log_jobs}", log=log):
        subject.wait_for_all(jobs, completed=len(jobs))
    seconds = elapsed(subject.app, jobs[warm_up:])
    subject.app.close()
    logged = log.read_text(encoding="utf-8").count("bench.async")
    if (logged > 0) != (log_jobs == "on"):
        raise RuntimeError(f"--log-jobs={log_jobs} wrote {logged} lines about {len(jobs)} runs")
    return timed / seconds


MEASUREMENT = Measurement(
    name="log-lines",
    measure=measure,
    lines=(
        Line(
            key="log-lines",
            title="loss of the drain by a line of log for each run",
            figure="loss_percent",
            unit="%",
            better="less",
        ),
    ),
    by_variant=False,
)
