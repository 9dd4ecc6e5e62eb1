"""Lines, tables and fields; every text is escaped here."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, Literal, Protocol, TextIO, TypeAlias, cast

from windlass.cli.terminal.column_widths import Span, column_widths
from windlass.cli.terminal.escape import escaped, escaped_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

Cell: TypeAlias = "str | Styled"
WIDE = 100
"""From this width on optional columns fit."""


@dataclass(frozen=True, slots=True)
class Styled:
    """A text and how a terminal shows it: a style of rich."""

    text: str
    style: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of a table, and how it is shortened where the terminal is too narrow; the first one always stays."""

    title: str
    least: int | None = None
    """The width to which it may be cut; None: it is as wide as its longest text."""
    may_go: bool = False
    """Whether it may be left out where cutting is not enough."""
    is_number: bool = False
    good: int = 0
    """Columns that ``may_go`` are left out before it is cut to less than this."""
    ends_tell: bool = False
    """Whether the end of a text tells more than its beginning, as that of ids does: ``windlass top`` keeps it."""


class Screen(Protocol):
    """Where views draw themselves."""

    @property
    def width(self) -> int: ...

    @property
    def rows(self) -> int | None:
        """How many lines are visible, from the first on; None: the output scrolls, and the last lines are visible."""

    def line(self, *cells: Cell) -> None:
        """One line of text."""

    def block(self, text: str) -> None:
        """Text of several lines, a traceback for instance."""

    def fields(self, fields: Sequence[tuple[str, Cell]], *, heading: Sequence[Cell] = ()) -> None:
        """Names and values, one pair a line. A heading comes out in one piece with them, whatever others write
        meanwhile.
        """

    def table(self, columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> None:
        """A table with a heading."""


def screen() -> Screen:
    """Colours and measured tables for a terminal, plain lines for a file or a pipe."""
    return TerminalScreen() if sys.stdout.isatty() else PlainScreen()


class PlainScreen:
    """For files and pipes: nothing is cut, nothing is coloured, columns are apart by two spaces."""

    width = 10_000
    rows: int | None = None

    def line(self, *cells: Cell) -> None:
        self._write("".join(_plain(cell) for cell in cells))

    def block(self, text: str) -> None:
        for line in escaped(text).splitlines():
            self._write(f"    {line}")

    def fields(self, fields: Sequence[tuple[str, Cell]], *, heading: Sequence[Cell] = ()) -> None:
        widest = max((len(name) for name, _ in fields), default=0)
        lines = ["".join(map(_plain, heading))] if heading else []
        lines += [f"  {name:<{widest}}  {_plain(value)}".rstrip() for name, value in fields]
        if lines:
            self._write("\n".join(lines))

    def table(self, columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> None:
        lines = [[column.title for column in columns], *([_plain(cell) for cell in row] for row in rows)]
        widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
        for line in lines:
            padded = [
                cell.rjust(width) if column.is_number else cell.ljust(width)
                for cell, width, column in zip(line, widths, columns, strict=True)
            ]
            self._write("  ".join(padded))

    def _write(self, line: str) -> None:
        sys.stdout.write(line.rstrip() + "\n")
        sys.stdout.flush()


class TerminalScreen:
    """For people at a terminal."""

    def __init__(self, console: Console | None = None, *, rows: int | None = None) -> None:
        self._console = console or terminal()
        self.rows = rows

    @property
    def width(self) -> int:
        return self._console.width

    def line(self, *cells: Cell) -> None:
        from rich.text import Text

        self._console.print(Text.assemble(*(_rich(cell) for cell in cells)))

    def block(self, text: str) -> None:
        from rich.padding import Padding
        from rich.text import Text

        self._console.print(Padding(Text(escaped(text).rstrip(), style="dim"), (0, 0, 0, 4)))

    def fields(self, fields: Sequence[tuple[str, Cell]], *, heading: Sequence[Cell] = ()) -> None:
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(no_wrap=True, style="dim")
        grid.add_column(overflow="fold")
        for name, value in fields:
            grid.add_row(f"  {name}", _rich(value))
        titled = [Text.assemble(*map(_rich, heading))] if heading else []
        self._console.print(Group(*titled, grid))

    def table(self, columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> None:
        self._console.print(_table(columns, rows, self.width))


def is_at_window() -> bool:
    """Whether there is a terminal that can be redrawn."""
    return sys.stdout.isatty() and not terminal().is_dumb_terminal


def terminal(file: TextIO | None = None, *, width: int | None = None) -> Console:
    """A console that prints text as it is: no markup, no highlighting of numbers, no emoji names.

    What is written to ``file`` is shown on the terminal later.
    """
    from rich.console import Console

    shown = Console(file=sys.stdout, markup=False, highlight=False, emoji=False)
    if file is None:
        return shown
    colours = cast("Literal['standard', '256', 'truecolor'] | None", shown.color_system)
    return Console(
        file=file,
        force_terminal=True,
        color_system=colours,
        width=width,
        markup=False,
        highlight=False,
        emoji=False,
    )


def cut_line(text: str, style: str, *, width: int) -> str:
    """One line for a terminal, cut where the terminal ends."""
    from rich.text import Text

    line = Text(text, style)
    line.truncate(width, overflow="ellipsis")
    shown = StringIO()
    terminal(shown, width=width).print(line, end="")
    return shown.getvalue()


def empty_table() -> Table:
    """The style of all tables."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    return Table(
        box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False, header_style="bold", border_style="dim"
    )


def _table(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], room: int) -> Table:
    texts = [[_rich(cell) for cell in row] for row in rows]
    spans = [
        _span(column, max(len(column.title), *(row[position].cell_len for row in texts), 0))
        for position, column in enumerate(columns)
    ]
    shown = column_widths(spans, room)
    table = empty_table()
    for position, width in shown.items():
        column = columns[position]
        table.add_column(
            column.title,
            width=width,
            no_wrap=column.least is not None,
            justify="right" if column.is_number else "left",
            overflow="fold" if column.least is None else "ellipsis",
        )
    for row in texts:
        table.add_row(*(row[position] for position in shown))
    return table


def _span(column: Column, wanted: int) -> Span:
    return Span(wanted, wanted if column.least is None else min(wanted, column.least), column.may_go, column.good)


def _rich(cell: Cell) -> Text:
    from rich.text import Text

    return Text(_plain(cell), style=cell.style if isinstance(cell, Styled) else "")


def _plain(cell: Cell) -> str:
    return escaped_line(cell.text if isinstance(cell, Styled) else cell)
