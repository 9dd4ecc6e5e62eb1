"""What the rounds gave."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.contender import Contender
from benchmarks.figures import Figures, Summary, summary


class Results:
    """Figures by measurement and contender, and what failed."""

    def __init__(self) -> None:
        self._rounds: dict[tuple[str, str], list[Figures]] = {}
        self.failures: list[str] = []

    def add(self, measurement: str, contender: Contender, figures: Figures) -> None:
        self._rounds.setdefault((measurement, contender.key), []).append(figures)

    def fail(self, measurement: str, contender: Contender, why: str) -> None:
        self.failures.append(f"{measurement}, {contender.key}: {why}")

    def summary(self, measurement: str, contender: Contender, figure: str) -> Summary | None:
        """The rounds of one figure; None where there are none."""
        rounds = self._rounds.get((measurement, contender.key), [])
        values = [figures[figure] for figures in rounds if figure in figures]
        return summary(values) if values else None

    def highest(self, measurement: str, contender: Contender, figure: str) -> tuple[str, float] | None:
        """Of a figure that was taken of several things (``figure thing``): the thing with the highest median."""
        rounds = self._rounds.get((measurement, contender.key), [])
        things = {name.partition(" ")[2] for figures in rounds for name in figures if name.startswith(f"{figure} ")}
        medians = {
            thing: found.median
            for thing in things
            if (found := self.summary(measurement, contender, f"{figure} {thing}"))
        }
        return max(medians.items(), key=lambda one: one[1]) if medians else None

    def known(self, measurements: Sequence[str], contender: Contender) -> dict[str, float] | None:
        """The medians of all figures of these measurements, as ``measurement.figure``; None if one is missing."""
        medians: dict[str, float] = {}
        for name in measurements:
            rounds = self._rounds.get((name, contender.key))
            if not rounds:
                return None
            for figure in rounds[0]:
                medians[f"{name}.{figure}"] = summary([figures[figure] for figures in rounds]).median
        return medians

    def to_plain(self) -> list[dict[str, object]]:
        """Every round of everything, for JSON."""
        return [
            {"measurement": measurement, "contender": contender, "rounds": rounds}
            for (measurement, contender), rounds in self._rounds.items()
        ]
