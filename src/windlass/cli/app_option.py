"""``--app``, ``--url``, ``--namespace``, ``--yes``: what commands share."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import closing
from functools import wraps
from typing import Any

import click

from windlass.app import Windlass
from windlass.cli.errors import Problem
from windlass.cli.find_app import load_app, managed_app
from windlass.cli.logs import set_up_logs
from windlass.cli.output import Command

Confirm = Callable[[str], None]
"""Asks a question; returns only when the answer is yes."""


app_option = click.option(
    "-A",
    "--app",
    "app_names",
    multiple=True,
    metavar="MODULE[:OBJECT],...",
    help="Where the app and its tasks are (or $WINDLASS_APP).",
)


def with_app(command: Command) -> Command:
    """Give a command ``--app``, ``--url``, ``--namespace`` and, as its first argument, an app to manage with."""
    return _given_app(command, managed_app, logs="error")


def with_app_and_logs(command: Command) -> Command:
    """``with_app`` for a command that runs for long and logs."""
    return _given_app(command, managed_app, logs="info")


def with_tasks(command: Command) -> Command:
    """``with_app`` for a command that needs the app's tasks too."""
    return _given_app(command, load_app, logs="info")


def _given_app(
    command: Command, find: Callable[[str | None, str | None, str | None], Windlass], *, logs: str
) -> Command:
    @app_option
    @click.option("--url", metavar="URL", help="The store, in place of the app's own.")
    @click.option("--namespace", help="The namespace in the store (or $WINDLASS_NAMESPACE); windlass by default.")
    @wraps(command)
    def run(*, app_names: tuple[str, ...], url: str | None, namespace: str | None, **options: Any) -> None:
        name = ",".join(app_names) if app_names else None
        with closing(find(name, url, namespace)) as app:
            is_one_of_several = options.get("supervised") is not None
            set_up_logs(
                default=logs,
                process=f"[{os.getpid()}] " if is_one_of_several else "",
                log_jobs=options.pop("log_jobs", None),
                log_format=options.pop("log_format", None),
            )
            command(app, **options)

    return run


def with_confirmation(command: Command) -> Command:
    """Give a command ``--yes`` and, as ``confirm``, a way to ask before it destroys."""

    @click.option("-y", "--yes", is_flag=True, help="Do not ask.")
    @wraps(command)
    def run(*, yes: bool, **options: Any) -> None:
        command(confirm=_agreed if yes else _ask, **options)

    return run


def _agreed(question: str) -> None:
    """``--yes`` was given."""


def _ask(question: str) -> None:
    if not sys.stdin.isatty():
        raise click.UsageError(f"{question} There is no terminal to ask at: say --yes")
    if not click.confirm(question, err=True):
        raise Problem("nothing was changed")
