"""Plants bugs one after the other, and tells by which invariant and under which seed the rack found each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.torture.finding import Finding
from tests.torture.mutants import MUTANTS
from tests.torture.rack import Settings, run
from tests.torture.report import Report
from tests.torture.witness import now

SEEDS = (1, 2)
PATIENCE = 45.0
"""Seconds after which a job that has not ended is stuck. On a slow machine that may say too much; a hunt may."""


@dataclass(frozen=True, slots=True)
class Hunted:
    """What became of one mutant."""

    name: str
    store: str
    seed: int
    report: Report
    expected: tuple[str, ...]
    seconds: float
    """That all tries together took."""

    @property
    def proofs(self) -> list[Finding]:
        return [finding for finding in self.report.findings if finding.invariant in self.expected]

    @property
    def is_found(self) -> bool:
        """Findings of another kind may come from a defect that is there without the mutant."""
        return bool(self.proofs)

    def __str__(self) -> str:
        verdict = (
            f"found by {_invariants(self.proofs)}" if self.is_found else f"MISSED ({_invariants(self.report.findings)})"
        )
        jobs = self.report.figures.get("jobs acknowledged", 0)
        return f"{self.name:40} {self.store:9} seed {self.seed}, {self.seconds:.0f} s, {jobs} jobs: {verdict}"


def _invariants(findings: Sequence[Finding]) -> str:
    return ", ".join(sorted({finding.invariant for finding in findings})) or "nothing"


def hunt(name: str, *, folder: Path, without: frozenset[str], seconds: float, seeds: Sequence[int] = SEEDS) -> Hunted:
    """Try seeds until one finds it; the last try."""
    mutant, began = MUTANTS[name], now()
    for seed in seeds:
        settings = Settings(
            store=mutant.store,
            seed=seed,
            seconds=seconds,
            folder=folder / f"{name.replace(' ', '-')}-{seed}",
            without=without | mutant.without,
            mutant=name,
            patience=PATIENCE,
            until=frozenset(mutant.breaks),
        )
        hunted = Hunted(name, mutant.store, seed, run(settings), mutant.breaks, now() - began)
        if hunted.is_found:
            break
    return hunted


def hunt_all(
    names: Sequence[str], *, folder: Path, without: frozenset[str], seconds: float, seeds: Sequence[int] = SEEDS
) -> int:
    """Print a line for each; how many were missed."""
    missed = 0
    for name in names or MUTANTS:
        hunted = hunt(name, folder=folder, without=without, seconds=seconds, seeds=seeds)
        print(hunted, flush=True)
        for finding in hunted.proofs[:1]:
            print(f"    {finding!s:.300}", flush=True)
        missed += not hunted.is_found
    return missed
