"""What a line of log for every ended run costs a drain.

One ``windlass worker`` drains a long queue, its log in a file, while the lines go on and off every moment. Two windows
that follow each other are a pair, and every second pair begins with the other one. The loss is the median of the pairs:
two drains one after the other differ by more than what is looked for.
"""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median

from benchmarks.figures import Figures
from benchmarks.measurement import Line, Measurement, Round
from benchmarks.processes.command import worker_command
from benchmarks.processes.switched_log import LENGTH, WINDOWS
from benchmarks.subject import Subject


def measure(round: Round) -> Figures:
    windows, log = round.folder / "windows.jsonl", round.folder / "worker.log"
    subject = Subject(round.place)
    jobs = subject.preload(round.scale.log_jobs)
    wishes = {WINDOWS: str(windows), LENGTH: str(round.scale.log_window)}
    with worker_command(round.place, "benchmarks.processes.switched_log", log=log, environment=wishes):
        subject.wait_for_completed(len(jobs))
    subject.app.close()
    if "bench.async" not in log.read_text(encoding="utf-8"):
        raise RuntimeError(f"no line about any of {len(jobs)} runs was logged")
    pairs = _pairs(windows)
    return {
        "pairs": len(pairs),
        "off_per_second": median(off for off, _ in pairs),
        "on_per_second": median(on for _, on in pairs),
        "loss_percent": median((1 - on / off) * 100 for off, on in pairs),
    }


def _pairs(windows: Path) -> list[tuple[float, float]]:
    """Runs per second without and with lines, of each pair of windows in which there was enough to do."""
    read = [json.loads(line) for line in windows.read_text(encoding="utf-8").splitlines()]
    pairs = []
    for first, second in zip(read[::2], read[1::2], strict=False):
        rates = {window["is_on"]: window["runs_per_second"] for window in (first, second)}
        if all(rates.values()):
            pairs.append((rates[False], rates[True]))
    # The queue runs dry in the last one.
    if len(pairs) < 2:
        raise RuntimeError(f"the jobs were drained within {len(read)} windows")
    return pairs[:-1]


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
