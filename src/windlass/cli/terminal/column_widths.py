"""Which columns fit, and how wide."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

GAP = 2
"""Between two columns."""


@dataclass(frozen=True, slots=True)
class Span:
    """The wanted width of a column, and its limits."""

    wanted: int
    least: int
    """The least width."""
    may_go: bool = False
    good: int = 0
    """Columns that ``may_go`` are left out before it becomes narrower than this."""


def column_widths(spans: Sequence[Span], room: int) -> dict[int, int]:
    """The columns that are shown by their position, and how wide each is.

    Columns are made narrower, the widest first. Where that is not enough columns that ``may_go`` are left out, the last
    one first, and then the others; the first one stays and takes the space there is.

    >>> name, age, note = Span(20, 20), Span(7, 7, may_go=True), Span(40, 10)
    >>> column_widths([name, age, note], 80)
    {0: 20, 1: 7, 2: 40}
    >>> column_widths([name, age, note], 50)
    {0: 20, 1: 7, 2: 19}
    >>> column_widths([name, age, note], 36)
    {0: 20, 2: 14}
    >>> column_widths([name, age, note], 12)
    {0: 12}
    >>> column_widths([name, age, Span(40, 10, good=25)], 50)
    {0: 20, 2: 28}
    """
    shown = list(range(len(spans)))
    while _width(max(spans[column].least, min(spans[column].good, spans[column].wanted)) for column in shown) > room:
        dispensable = [column for column in shown[1:] if spans[column].may_go]
        if not dispensable:
            break
        shown.remove(dispensable[-1])
    while len(shown) > 1 and _width(spans[column].least for column in shown) > room:
        shown.remove(([column for column in shown[1:] if spans[column].may_go] or shown)[-1])
    widths = {column: min(spans[column].wanted, room) for column in shown}
    while _width(widths.values()) > room:
        widths[max(shown, key=lambda column: (widths[column] > spans[column].least, widths[column]))] -= 1
    return widths


def _width(widths: Iterable[int]) -> int:
    found = tuple(widths)
    return sum(found) + GAP * (len(found) - 1)
