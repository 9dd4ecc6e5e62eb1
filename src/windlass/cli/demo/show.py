"""How the story is told; here in plain lines, for files and pipes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from windlass import clock
from windlass.cli.demo.cast import Role
from windlass.cli.demo.summary import Summary
from windlass.cli.screen import PlainScreen, Screen, Styled
from windlass.cli.views.jobs import note
from windlass.core.state import State

CastFrame = Callable[[Sequence[Role]], None]
BurstFrame = Callable[[int], None]


class Show(Protocol):
    """What the story needs of whoever tells it."""

    def title(self, name: str, store: str) -> None: ...
    def scene(self, *lines: str) -> None: ...
    def live_cast(self) -> AbstractContextManager[CastFrame]: ...
    def live_burst(self, total: int) -> AbstractContextManager[BurstFrame]: ...
    def summary(self, summary: Summary) -> None: ...


class Teller:
    """What both ways of telling share."""

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
    """The same without what changes all the time, for each change is a line."""
    job = role.job
    match job.state:
        case State.SCHEDULED:
            return "delayed"
        case State.PENDING:
            return f"priority {job.priority}"
        case State.RUNNING if job.progress.value is not None:
            return f"{int(job.progress.value * 4) * 25}%"
        case _:
            return told(role)


def told(role: Role) -> str:
    """What there is to tell of a job besides its state."""
    job = role.job
    if job.state is State.RETRYING and job.errors:
        return f"attempt {job.attempt} of {job.max_attempts} failed: {job.errors[-1].message}"
    if job.state is State.COMPLETED and job.attempt > 1:
        return f"at attempt {job.attempt}"
    return "" if job.state in (State.PENDING, State.RUNNING) else note(job)
