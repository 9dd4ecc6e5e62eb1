"""A sentence, and the same as values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from windlass.cli.terminal.screen import Screen


@dataclass(frozen=True, slots=True)
class Message:
    """What a command did."""

    sentence: str
    values: Mapping[str, object]
    details: Sequence[str] = ()
    """For people only, a line each."""

    def data(self) -> object:
        return dict(self.values)

    def draw(self, screen: Screen) -> None:
        screen.line(self.sentence)
        for detail in self.details:
            screen.line(f"  {detail}")


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """
    >>> counted(1, "queue"), counted(2000, "queue"), counted(4, "process", "processes")
    ('1 queue', '2,000 queues', '4 processes')
    """
    return f"1 {noun}" if count == 1 else f"{count:,} {plural or f'{noun}s'}"


def jobs_counted(count: int) -> str:
    """
    >>> jobs_counted(1), jobs_counted(2000)
    ('1 job', '2,000 jobs')
    """
    return counted(count, "job")
