"""Lines of cells: cut, padded, wrapped; a screen that collects them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from windlass.cli.terminal.column_widths import GAP, Span, column_widths
from windlass.cli.terminal.escape import escaped, escaped_line
from windlass.cli.terminal.screen import Cell, Column, Styled

Line: TypeAlias = tuple[Styled, ...]
"""Texts that are safe for a terminal, one beside the other."""

ELLIPSIS = "…"


def line(*cells: Cell) -> Line:
    """A line of texts that may hold anything."""
    return tuple(Styled(escaped_line(text_of(cell)), style_of(cell)) for cell in cells)


def text_of(cell: Cell) -> str:
    return cell.text if isinstance(cell, Styled) else cell


def style_of(cell: Cell) -> str:
    return cell.style if isinstance(cell, Styled) else ""


def plain(shown: Line) -> str:
    """The text of a line."""
    return "".join(cell.text for cell in shown)


def width_of(text: str) -> int:
    """How many columns of a terminal it takes: some characters take two, some none."""
    from rich.cells import cell_len

    return cell_len(text)


def cut(text: str, width: int) -> str:
    """At most so wide; what was cut ends with an ellipsis.

    >>> cut("something", 9), cut("something", 5)
    ('something', 'some…')
    """
    from rich.cells import set_cell_size

    if width_of(text) <= width:
        return text
    return "" if width < 1 else set_cell_size(text, width - 1) + ELLIPSIS


def cut_line(shown: Line, width: int) -> Line:
    """A line that fits."""
    cells: list[Styled] = []
    left = width
    for cell in shown:
        if left < 1:
            break
        cells.append(Styled(cut(cell.text, left), cell.style))
        left -= width_of(cells[-1].text)
    return tuple(cells)


def padded(shown: Line, width: int, style: str) -> Line:
    """A line that fits, filled up to the whole width; ``style`` is added to each of its texts."""
    fitting = cut_line(shown, width)
    missing = width - sum(width_of(cell.text) for cell in fitting)
    return tuple(Styled(cell.text, f"{cell.style} {style}".strip()) for cell in (*fitting, Styled(" " * missing, "")))


def width_of_line(shown: Line) -> int:
    """How many columns it takes."""
    return sum(width_of(cell.text) for cell in shown)


def ends(left: Line, right: Line, width: int) -> Line:
    """One part at the left end, one at the right; the left one is cut where both do not fit."""
    taken = sum(width_of(cell.text) for cell in right)
    fitting = cut_line(left, max(0, width - taken - 1))
    gap = width - taken - sum(width_of(cell.text) for cell in fitting)
    return cut_line((*fitting, Styled(" " * gap, ""), *right), width)


def table(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], room: int) -> list[Line]:
    """A heading and a line for each row, cut and left out as in all tables of ours."""
    texts = [[escaped_line(text_of(cell)) for cell in row] for row in rows]
    widest = [max((width_of(row[position]) for row in texts), default=0) for position, _ in enumerate(columns)]
    spans = [_span(column, max(len(column.title), wanted)) for column, wanted in zip(columns, widest, strict=True)]
    shown = column_widths(spans, room)

    def drawn(cells: Sequence[tuple[str, str]]) -> Line:
        parts: list[Styled] = []
        for position, width in shown.items():
            text, style = cells[position]
            gap = " " * GAP if parts else ""
            column = columns[position]
            fitting = _cut_front(text, width) if column.ends_tell else cut(text, width)
            parts.append(Styled(gap + _aligned(fitting, width, column), style))
        return tuple(parts)

    heading = drawn([(column.title, "bold") for column in columns])
    return [
        heading,
        *(
            drawn([(text, style_of(cell)) for text, cell in zip(texts[number], row, strict=True)])
            for number, row in enumerate(rows)
        ),
    ]


def _cut_front(text: str, room: int) -> str:
    """
    >>> _cut_front("01M7KWVHSY4BNPQHEGSQ", 6), _cut_front("short", 6)
    ('…HEGSQ', 'short')
    """
    if width_of(text) <= room:
        return text
    return "…" + _fitting(text[::-1], room - 1)[::-1]


def _span(column: Column, wanted: int) -> Span:
    return Span(wanted, wanted if column.least is None else min(wanted, column.least), column.may_go, column.good)


def _aligned(text: str, width: int, column: Column) -> str:
    filling = " " * (width - width_of(text))
    return filling + text if column.is_number else text + filling


class LineScreen:
    """Collects what a view draws as lines of a width; nothing is left out, long lines are wrapped."""

    rows: int | None = None

    def __init__(self, width: int) -> None:
        self.width = max(1, width)
        self.lines: list[Line] = []

    def line(self, *cells: Cell) -> None:
        self.lines += wrapped(line(*cells), self.width)

    def block(self, text: str) -> None:
        for one in escaped(text).splitlines():
            self.lines += wrapped((Styled(f"    {one}".replace("\t", "    "), "dim"),), self.width)

    def fields(self, fields: Sequence[tuple[str, Cell]], *, heading: Sequence[Cell] = ()) -> None:
        if heading:
            self.line(*heading)
        widest = max((len(name) for name, _ in fields), default=0)
        for name, value in fields:
            self.lines += wrapped((Styled(f"  {name:<{widest}}  ", "dim"), *line(value)), self.width, indent=widest + 4)

    def table(self, columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> None:
        self.lines += table(columns, rows, self.width)


def wrapped(shown: Line, width: int, *, indent: int = 0) -> Iterator[Line]:
    """The line as lines that fit; those after the first are indented, where there is room for that."""
    if sum(width_of(cell.text) for cell in shown) <= width:
        yield shown
        return
    indent = indent if indent < width // 2 else 0
    parts: list[Styled] = []
    used = 0
    for cell in shown:
        text = cell.text
        while text:
            # A line that is too narrow for a wide character gets it all the same: the text has to end some time.
            piece = _fitting(text, width - used) or (text[:1] if used <= indent else "")
            if piece:
                parts.append(Styled(piece, cell.style))
                used += width_of(piece)
                text = text[len(piece) :]
            if text:
                yield tuple(parts)
                parts, used = [Styled(" " * indent, "")], indent
    yield tuple(parts)


def _fitting(text: str, room: int) -> str:
    """The beginning that fits."""
    taken = 0
    for number, character in enumerate(text):
        taken += width_of(character)
        if taken > room:
            return text[:number]
    return text
