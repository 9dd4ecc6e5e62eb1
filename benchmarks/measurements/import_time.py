"""How long ``import windlass`` takes in a new interpreter whose bytecode cache is warm."""

from __future__ import annotations

import statistics
import subprocess
import sys

from benchmarks.channel import ROOT
from benchmarks.figures import Figures
from benchmarks.measurement import Line, Measurement, Round

_PROGRAM = "import time; began = time.perf_counter(); import windlass; print(time.perf_counter() - began)"


def measure(round: Round) -> Figures:
    _import()
    return {"ms": statistics.median(_import() for _ in range(round.scale.imports)) * 1e3}


def _import() -> float:
    ended = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True, cwd=ROOT)
    return float(ended.stdout)


MEASUREMENT = Measurement(
    name="import-time",
    measure=measure,
    lines=(Line(key="import-time", title="import windlass", figure="ms", unit="ms", better="less"),),
    by_variant=False,
)
