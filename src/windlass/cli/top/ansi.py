"""A line of cells as the bytes of a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from windlass.cli.terminal.screen import terminal
from windlass.cli.top.lines import Line

if TYPE_CHECKING:
    from rich.color import ColorSystem


def picture(lines: Sequence[Line], rows: int) -> str:
    """Draws all lines over what is there, and clears the rest.

    Each line is cleared before it is written: after a line as wide as the terminal that would clear its end.
    """
    colours = _colour_system()
    shown = lines[:rows]
    parts = [f"\x1b[{row};1H\x1b[2K{_coloured(line, colours)}" for row, line in enumerate(shown, start=1)]
    return "".join(parts) + (f"\x1b[{len(shown) + 1};1H\x1b[J" if len(shown) < rows else "")


def _coloured(line: Line, colours: ColorSystem | None) -> str:
    from rich.style import Style

    return "".join(
        Style.parse(cell.style).render(cell.text, color_system=colours) if cell.style else cell.text for cell in line
    )


@cache
def _colour_system() -> ColorSystem | None:
    """What this terminal can show; None where $NO_COLOR or the kind of terminal forbids colours."""
    from rich.color import ColorSystem

    systems = {"standard": ColorSystem.STANDARD, "256": ColorSystem.EIGHT_BIT, "truecolor": ColorSystem.TRUECOLOR}
    console = terminal()
    return None if console.no_color else systems.get(console.color_system or "")
