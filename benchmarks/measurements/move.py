"""``windlass move``, as a person runs it: from a SQLite file to the store, and from there to another file.

The time is the command's own, which compares every job after it has copied all of them.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

from benchmarks.channel import ROOT
from benchmarks.figures import Figures
from benchmarks.measurement import Line, Measurement, Round
from benchmarks.place import Place
from benchmarks.subject import Subject


def measure(round: Round) -> Figures:
    count, origin = round.scale.moved_jobs, _file(round.folder, "origin")
    subject = Subject(origin)
    subject.preload(count)
    subject.app.close()
    came = _move(origin, round.place, count)
    left = _move(round.place, _file(round.folder, "destination"), count)
    return {"in_jobs_per_second": count / came, "out_jobs_per_second": count / left}


def _file(folder: Path, name: str) -> Place:
    return Place(f"sqlite:///{quote(str(folder / name))}.db")


def _move(source: Place, target: Place, count: int) -> float:
    """Seconds that it took; all jobs must have come."""
    spaces = ["--namespace", source.namespace, "--to-namespace", target.namespace]
    command = [sys.executable, "-m", "windlass", "move", source.url, target.url, *spaces, "--json"]
    ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=ROOT)
    moved = json.loads(ended.stdout)
    if moved["added"] != count:
        raise RuntimeError(f"{count} jobs were to be moved, the command says {moved}")
    return float(moved["seconds"])


MEASUREMENT = Measurement(
    name="move",
    measure=measure,
    lines=(
        Line(key="move-in", title="move from a SQLite file", figure="in_jobs_per_second", unit="jobs/s"),
        Line(key="move-out", title="move to a SQLite file", figure="out_jobs_per_second", unit="jobs/s"),
    ),
    by_variant=False,
)
