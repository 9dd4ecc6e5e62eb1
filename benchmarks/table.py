"""Plain-text tables and numbers for people."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.figures import Summary
from benchmarks.measurement import Unit

NOTHING = "-"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as they need to be; the first is words, the others end on the right."""
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]
    rule = ["-" * width for width in widths]
    return "\n".join(_row(row, widths) for row in (header, rule, *rows))


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = (
        cell.ljust(width) if column == 0 else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "  ".join((first, *others)).rstrip()


def number(value: float, unit: Unit) -> str:
    """A figure with as many digits as mean something.

    >>> number(31234.5, "jobs/s"), number(1.234, "ms")
    ('31,234', '1.23')
    """
    if unit == "jobs/s":
        return f"{value:,.0f}"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}" if value >= 100 else f"{value:.3g}"


def measured(found: Summary | None, unit: Unit) -> str:
    """The median and, after several rounds, how far they lie apart."""
    if found is None:
        return NOTHING
    if found.rounds == 1:
        return number(found.median, unit)
    return f"{number(found.median, unit)} ({number(found.least, unit)}..{number(found.most, unit)})"
