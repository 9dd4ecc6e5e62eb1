"""The tables at the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.contender import Contender
from benchmarks.figures import Summary
from benchmarks.goals import NOT_YET, goal
from benchmarks.measurement import Line, Measurement
from benchmarks.results import Results
from benchmarks.rivals import RIVALS, Rivals
from benchmarks.table import NOTHING, measured, number, table
from benchmarks.verdict import share, verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What was measured, and by whom."""

    store: str
    measurements: Sequence[Measurement]
    ours: Sequence[Contender]
    peers: Sequence[Contender]
    results: Results

    def lines(self) -> Iterator[tuple[Measurement, Line]]:
        for measurement in self.measurements:
            for line in measurement.lines:
                yield measurement, line

    def own(self, measurement: Measurement, line: Line, contender: Contender) -> Summary | None:
        return self.results.summary(measurement.name, contender, line.figure)

    def of_peer(self, measurement: Measurement, line: Line, peer: Contender) -> Summary | None:
        return None if measurement.versus is None else self.results.summary(measurement.versus, peer, line.figure)


def goals_table(run: Run) -> str:
    """Every line with its goal; the verdict is about the first variant, for which the goals are stated."""
    header = ("line", "unit", "goal", *(contender.title for contender in run.ours), "verdict")
    return table(header, [_goal_row(run, measurement, line) for measurement, line in run.lines()])


def _goal_row(run: Run, measurement: Measurement, line: Line) -> tuple[str, ...]:
    wanted = goal(run.store, line.key)
    found = [run.own(measurement, line, contender) for contender in run.ours]
    limit = "at least" if line.better == "more" else "at most"
    return (
        line.title,
        line.unit,
        NOTHING if wanted is None else f"{limit} {number(wanted, line.unit)}",
        *(measured(summary, line.unit) for summary in found),
        _verdict(found[0], wanted, line),
    )


def _verdict(found: Summary | None, wanted: float | None, line: Line) -> str:
    if wanted is None:
        return NOTHING
    return "not measured" if found is None else verdict(found.median, wanted, line.better)


def peers_table(run: Run) -> str:
    """Our figures beside those of the peers, and how many times better ours are than the best of each kind."""
    duels = [_Duel(rivals, ours) for rivals in RIVALS[run.store] for ours in _set_against(rivals, run)]
    header = (
        "line",
        "unit",
        *(contender.title for contender in (*run.ours, *run.peers)),
        *(heading for duel in duels for heading in duel.headings()),
    )
    rows = [
        _peer_row(run, measurement, line, duels) for measurement, line in run.lines() if measurement.versus is not None
    ]
    return table(header, rows)


@dataclass(frozen=True, slots=True)
class _Duel:
    """One of ours against some peers: a column with the ratio, and one with what is wanted if a goal is about it."""

    rivals: Rivals
    ours: Contender

    def headings(self) -> tuple[str, ...]:
        ratio = f"{self.ours.title} / {self.rivals.title}"
        return (ratio,) if self.rivals.drain_ratio is None else (ratio, "wanted")

    def cells(self, run: Run, measurement: Measurement, line: Line) -> tuple[str, ...]:
        theirs = [_median(run.of_peer(measurement, line, peer)) for peer in run.peers if peer.key in self.rivals.peers]
        ratio = _ratio(_median(run.own(measurement, line, self.ours)), theirs, line)
        wanted = self.rivals.wanted(run.store, line.key)
        cells = (ratio, NOTHING if wanted is None else f"at least {wanted:g} ×")
        return cells[: len(self.headings())]


def _set_against(rivals: Rivals, run: Run) -> Sequence[Contender]:
    return run.ours if rivals.is_for_all else run.ours[:1]


def _peer_row(run: Run, measurement: Measurement, line: Line, duels: Sequence[_Duel]) -> tuple[str, ...]:
    ours = [_median(run.own(measurement, line, contender)) for contender in run.ours]
    theirs = [_median(run.of_peer(measurement, line, peer)) for peer in run.peers]
    return (
        line.title,
        line.unit,
        *(NOTHING if median is None else number(median, line.unit) for median in (*ours, *theirs)),
        *(cell for duel in duels for cell in duel.cells(run, measurement, line)),
    )


def _median(found: Summary | None) -> float | None:
    return None if found is None else found.median


def _ratio(ours: float | None, theirs: Iterable[float | None], line: Line) -> str:
    known = [median for median in theirs if median is not None]
    if ours is None or not known:
        return NOTHING
    best = max(known) if line.better == "more" else min(known)
    return f"{share(ours, best, line.better):.2f} ×"


def notes(facts: Mapping[str, str], warnings: Sequence[str], guarantees: Mapping[str, str], runs: Sequence[Run]) -> str:
    """What must be known to read the tables."""
    paragraphs = [f"{name}: {value}" for name, value in facts.items()]
    paragraphs += [f"  {name}: {text}" for name, text in guarantees.items()]
    paragraphs += [text for run in runs for text in _slowest(run)]
    paragraphs += [f"not measured yet: {line}" for line in NOT_YET]
    paragraphs += [f"WARNING: {text}" for text in (*warnings, *(doubt for run in runs for doubt in _doubts(run)))]
    paragraphs += [f"FAILED: {text}" for text in runs[0].results.failures]
    return "\n".join(paragraphs)


def _slowest(run: Run) -> Iterator[str]:
    """Which of several things a line is about, if it is about the slowest of them."""
    for measurement, line in run.lines():
        for contender in run.ours:
            found = run.results.highest(measurement.name, contender, line.figure)
            if found is not None:
                yield f"{run.store}, {line.title}: {found[0]} ({number(found[1], line.unit)} {line.unit})"


def _doubts(run: Run) -> Iterator[str]:
    """What went otherwise than the measurements intend."""
    for contender in run.ours:
        reached = run.results.summary("pick-up-half-load", contender, "load_percent_of_drain")
        if reached is not None and reached.median < 47:
            yield f"half load, {contender.key}: the client only sent {reached.median:.0f} % of the drain rate"
        answered = run.results.summary("under-fire", contender, "answered_per_second")
        if answered is not None and answered.median < 45:
            yield f"under fire, {contender.key}: only {answered.median:.0f} requests a second were answered, not 50"
