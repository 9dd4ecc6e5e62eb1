"""Runs the rounds: each in a process and a folder of its own, the contenders taking turns."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from benchmarks.channel import ROOT
from benchmarks.contender import Contender, Task
from benchmarks.figures import Figures
from benchmarks.measurement import Measurement
from benchmarks.results import Results
from benchmarks.scale import Scale
from benchmarks.server import Server
from benchmarks.stores import STORES

_LONGEST = 900
"""Seconds a round may take before it counts as failed, besides what ``--seconds`` asks for."""

Tell = Callable[[str], None]


class RoundFailed(Exception):
    """A round ended without figures."""

    def __init__(self, why: str, *, printed: str = "") -> None:
        super().__init__(why)
        self.printed = printed
        """What its processes said before, which may tell the cause."""


class Rounds:
    """Measures what it is given and collects the results."""

    def __init__(self, *, folder: Path, servers: Mapping[str, Server], scale: Scale, rounds: int, tell: Tell) -> None:
        self._folder = folder
        self._servers = servers
        self._scale = scale
        self._rounds = rounds
        self._tell = tell
        self.results = Results()

    def run(
        self, measurement: Measurement, ours: Sequence[Contender], peers: Mapping[Contender, Sequence[str]]
    ) -> None:
        """All rounds of one measurement. Everybody has a turn in each, so that a slow spell of the disk hits all."""
        contenders = list(ours) if measurement.by_variant else list(ours[:1])
        versus = measurement.versus
        compared = [peer for peer, measures in peers.items() if versus in measures and not self._has(str(versus), peer)]
        for number in range(1, self._rounds + 1):
            for contender in contenders:
                self._one(number, measurement.name, contender, measurement)
            for peer in compared:
                self._one(number, str(versus), peer, measurement)

    def _has(self, measurement: str, contender: Contender) -> bool:
        return self.results.known([measurement], contender) is not None

    def _one(self, number: int, name: str, contender: Contender, measurement: Measurement) -> None:
        began = time.monotonic()
        known = {} if contender.peer else self.results.known(measurement.needs, contender)
        if known is None:
            self.results.fail(name, contender, f"needs {', '.join(measurement.needs)}, which gave nothing")
            return
        try:
            figures = self._perform(name, contender, known)
        except Exception as failure:  # whatever it is, also a server that has died: the other rounds go on
            self._fail(number, name, contender, failure)
            return
        self.results.add(name, contender, figures)
        shown = "  ".join(f"{figure} {value:,.4g}" for figure, value in figures.items() if "/" not in figure)
        self._tell(f"{name:20} {contender.key:18} round {number}  {time.monotonic() - began:5.1f} s  {shown}")

    def _fail(self, number: int, name: str, contender: Contender, failure: Exception) -> None:
        why, printed = f"{type(failure).__name__}: {failure}", ""
        if isinstance(failure, RoundFailed):
            why, printed = str(failure), failure.printed
        self.results.fail(name, contender, f"round {number}: {why}")
        self._tell(f"{name:20} {contender.key:18} round {number}  FAILED: {why}\n{printed}")

    def _perform(self, name: str, contender: Contender, known: Mapping[str, float]) -> Figures:
        store, server = STORES[contender.store], self._servers[contender.store]
        with (
            _fresh(self._folder) as folder,
            store.fresh(server, contender.variant or store.variants[0], folder) as place,
        ):
            task = Task(
                contender=contender,
                measurement=name,
                folder=str(folder),
                place=place,
                server=server,
                scale=asdict(self._scale),
                known=known,
            )
            return _in_process(task, patience=_LONGEST + self._scale.sustained_seconds)


@contextmanager
def _fresh(parent: Path) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="round-", dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _in_process(task: Task, *, patience: float) -> Figures:
    command = [task.contender.python, "-m", "benchmarks.one_round"]
    try:
        ended = subprocess.run(
            command,
            input=json.dumps(task.to_plain()),
            capture_output=True,
            text=True,
            check=False,
            cwd=ROOT,
            timeout=patience,
        )
    except subprocess.TimeoutExpired as expired:
        raise RoundFailed(f"no figures within {patience:g} s") from expired
    if ended.returncode != 0:
        raise RoundFailed(_last_line(ended.stderr) or f"exit code {ended.returncode}", printed=ended.stderr)
    figures: Figures = json.loads(ended.stdout.splitlines()[-1])
    return figures


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else ""
