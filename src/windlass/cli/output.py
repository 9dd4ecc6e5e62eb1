"""One answer, two forms: a table for people, JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, Protocol

import click

from windlass.cli.terminal.escape import UNSAFE
from windlass.cli.terminal.screen import Screen, screen

Command = Callable[..., None]
"""A function that click calls, with its options by name."""


class View(Protocol):
    """The answer of a command."""

    def data(self) -> object:
        """For programs: plain JSON values under the keys of docs/cli.md."""

    def draw(self, screen: Screen) -> None:
        """For people."""


class Output(Protocol):
    """Where a command shows its answer."""

    def show(self, view: View) -> None: ...


class HumanOutput:
    """Draws on the terminal, or writes plain lines where there is none."""

    def show(self, view: View) -> None:
        view.draw(screen())


class JsonOutput:
    """Writes one JSON value: a line of its own, or indented at a terminal."""

    def show(self, view: View) -> None:
        click.echo(json_text(view.data(), indent=2 if sys.stdout.isatty() else None))


def json_text(value: object, *, indent: int | None = None) -> str:
    """JSON in which characters that could control a terminal are escaped."""
    readable = (sys.stdout.encoding or "").lower().startswith("utf")
    text = json.dumps(value, indent=indent, ensure_ascii=not readable)
    return UNSAFE.sub(lambda match: json.dumps(match[0])[1:-1], text)


def with_output(command: Command) -> Command:
    """Give a command ``--json`` and, as ``out``, the output that was chosen."""

    @click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
    @wraps(command)
    def run(*, as_json: bool, **options: Any) -> None:
        command(out=JsonOutput() if as_json else HumanOutput(), **options)

    return run
