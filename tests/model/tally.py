"""How much a run has done, and whether the rare things really happened in it."""

from __future__ import annotations

from collections import Counter


class Tally:
    """Counts of one run, up to the first disagreement: making it small and showing it again does not count."""

    def __init__(self) -> None:
        self.steps = 0
        self.seen: Counter[str] = Counter()
        self.has_failed = False

    def step(self) -> None:
        """One more step was taken, and everything agreed."""
        if not self.has_failed:
            self.steps += 1

    def fail(self) -> None:
        """Store and model disagree."""
        self.has_failed = True

    def see(self, what: str, times: int = 1) -> None:
        """Something happened that a run must have met."""
        self.seen[what] += times

    def missing(self, wanted: tuple[str, ...]) -> list[str]:
        """What never happened: a run without it proves nothing about it."""
        return [what for what in wanted if not self.seen[what]]

    def __str__(self) -> str:
        return f"{self.steps} steps; " + ", ".join(f"{what} {times}" for what, times in sorted(self.seen.items()))
