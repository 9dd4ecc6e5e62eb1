"""How the story is told at a terminal: a table that moves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from windlass.cli.demo.cast import Role
from windlass.cli.demo.show import BurstFrame, CastFrame, Teller, told
from windlass.cli.screen import TerminalScreen, empty_table, terminal
from windlass.cli.views.style import STATE_STYLES
from windlass.core.state import State

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table


class LiveShow(Teller):
    """A table that moves."""

    def __init__(self) -> None:
        self._console = terminal()
        super().__init__(TerminalScreen(self._console))

    @contextmanager
    def live_cast(self) -> Iterator[CastFrame]:
        from rich.live import Live

        self._screen.line("")
        with Live(console=self._console, refresh_per_second=12) as live:
            yield lambda cast: live.update(_cast_table(cast))

    @contextmanager
    def live_burst(self, total: int) -> Iterator[BurstFrame]:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress

        bar = Progress(BarColumn(bar_width=40), MofNCompleteColumn(), console=self._console)
        with bar:
            task = bar.add_task("", total=total)
            yield lambda completed: bar.update(task, completed=completed)


def _cast_table(cast: Sequence[Role]) -> Table:
    from rich.text import Text

    table = empty_table()
    for title in ("JOB", "RUNS ON"):
        table.add_column(title, no_wrap=True)
    table.add_column("PRIORITY", justify="right", no_wrap=True)
    table.add_column("STATE", no_wrap=True, min_width=9)
    table.add_column("", ratio=1)
    for role in cast:
        state = role.job.state
        table.add_row(role.name, role.runs, str(role.job.priority), Text(str(state), STATE_STYLES[state]), _last(role))
    return table


def _last(role: Role) -> RenderableType:
    """A bar for a run that reports its progress, words for the others."""
    from rich.progress_bar import ProgressBar
    from rich.text import Text

    progress = role.job.progress.value
    if role.job.state is State.RUNNING and progress is not None:
        return ProgressBar(total=1, completed=progress, width=24)
    return Text(told(role), style="dim", no_wrap=True, overflow="ellipsis")
