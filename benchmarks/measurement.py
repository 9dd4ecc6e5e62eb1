"""What a measurement is, and what it is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchmarks.figures import Figures
from benchmarks.place import Place
from benchmarks.scale import Scale
from benchmarks.server import Server

Unit = Literal["jobs/s", "ms", "µs", "%", "MB", "×", "calls"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the table: a figure of a measurement, under a name that the goals know."""

    key: str
    title: str
    figure: str
    unit: Unit
    better: Literal["more", "less"] = "more"


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """What one round works with: an empty store, how much to do, and what is known already."""

    place: Place
    scale: Scale
    known: Mapping[str, float]
    """Medians of the measurements that this one needs, as ``measurement.figure``."""
    beside: Callable[[str], Place]
    """A further empty store of the same kind, by a name of its own."""
    server: Server
    """What ``place`` lies on."""
    folder: Path
    """The round's own: a second store, of another kind, can be a SQLite file in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """Something to measure: one round in a fresh process on a fresh store gives figures, figures give lines."""

    name: str
    measure: Callable[[Round], Figures]
    lines: tuple[Line, ...]
    needs: tuple[str, ...] = ()
    """Measurements whose figures it is given."""
    versus: str | None = None
    """What peers measure to compare with it; their figures have the same names."""
    by_variant: bool = True
    """False: the store's settings do not matter, so it is measured with the first of them only."""
