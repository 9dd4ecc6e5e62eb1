"""Shows the story: a live table on a terminal, plain lines elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Protocol

from windlass import clock
from windlass.cli.demo.report import Summary
from windlass.cli.demo.tasks import Role
from windlass.cli.terminal.screen import PlainScreen, Screen, Styled, TerminalScreen, empty_table, terminal
from windlass.cli.views.jobs import note
from windlass.cli.views.style import STATE_STYLES
from windlass.core.state import State

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table


CastFrame = Callable[[Sequence[Role]], None]
BurstFrame = Callable[[int], None]


class Show(Protocol):
    """Where the demo is shown."""

    def title(self, name: str, store: str) -> None: ...
    def scene(self, *lines: str) -> None: ...
    def live_cast(self) -> AbstractContextManager[CastFrame]: ...
    def live_burst(self, total: int) -> AbstractContextManager[BurstFrame]: ...
    def summary(self, summary: Summary) -> None: ...
    def dashboard(self, address: str) -> None: ...


class Teller:
    """What both ways of showing share."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen

    def title(self, name: str, store: str) -> None:
        self._screen.line(Styled(name, "bold"))
        self._screen.line(Styled(f"store: {store} (removed at the end)", "dim"))

    def scene(self, *lines: str) -> None:
        self._screen.line("")
        for line in lines:
            self._screen.line(line)

    def summary(self, summary: Summary) -> None:
        summary.draw(self._screen)

    def dashboard(self, address: str) -> None:
        self.scene("Now a small shop takes orders, and a worker runs its jobs. Watch it in a browser:")
        self._screen.line(Styled(f"  {address}", "bold cyan"), Styled("  stop with Ctrl-C", "dim"))


class PlainShow(Teller):
    """A line for every change."""

    def __init__(self) -> None:
        super().__init__(PlainScreen())

    @contextmanager
    def live_cast(self) -> Iterator[CastFrame]:
        began = clock.monotonic()
        last: dict[str, str] = {}

        def frame(cast: Sequence[Role]) -> None:
            for role in cast:
                line = f"{role.name:<16} {role.job.state:<10} {_quarters(role)}".rstrip()
                if last.get(role.name) != line:
                    last[role.name] = line
                    self._screen.line(f"  {clock.monotonic() - began:5.2f}s  {line}")

        yield frame

    @contextmanager
    def live_burst(self, total: int) -> Iterator[BurstFrame]:
        def frame(completed: int) -> None:
            self._screen.line(f"  {completed:,} of {total:,} completed")

        yield frame


def _quarters(role: Role) -> str:
    """The progress in quarters: each change is a line."""
    job = role.job
    match job.state:
        case State.SCHEDULED:
            return "delayed"
        case State.PENDING:
            return f"priority {job.priority}"
        case State.RUNNING if job.progress.value is not None:
            return f"{int(job.progress.value * 4) * 25}%"
        case _:
            return role_note(role)


def role_note(role: Role) -> str:
    """What is shown of a job besides its state."""
    job = role.job
    if job.state is State.RETRYING and job.errors:
        return f"attempt {job.attempt} of {job.max_attempts} failed: {job.errors[-1].message}"
    if job.state is State.COMPLETED and job.attempt > 1:
        return f"at attempt {job.attempt}"
    return "" if job.state in (State.PENDING, State.RUNNING) else note(job)


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
    return Text(role_note(role), style="dim", no_wrap=True, overflow="ellipsis")
