"""``--state``, ``--queue``, ``--task`` …: which jobs a command is about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from windlass.cli.times import since
from windlass.core.state import State

Command = TypeVar("Command", bound=Callable[..., Any])


def with_filters(command: Command) -> Command:
    """``--queue``, ``--task``, ``--reason``, ``--group``, ``--tag`` and ``--text``."""
    command = click.option("--group", "cause", help="Only failed jobs of this group (windlass dead groups).")(command)
    command = click.option("--reason", help="Only jobs with this reason: attempts, timeout, crashed ...")(command)
    return _common(command)


def _common(command: Command) -> Command:
    command = click.option("--text", help="Only jobs with this text in id, task, arguments, tags or errors.")(command)
    command = click.option("--tag", help="Only jobs with this tag: vip, or plan=pro.")(command)
    command = click.option("--task", help="Only jobs of this task.")(command)
    return click.option("--queue", help="Only jobs of this queue.")(command)


def page(command: Command) -> Command:
    """``--since``, ``--limit`` and ``--cursor``; ``as_of_now`` computes the instant of ``--since``."""
    command = click.option("--cursor", type=int, help="Go on where a page ended.")(command)
    command = click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 10_000))(command)
    return _since_option(command, _checked)


def as_of_now(filter: dict[str, Any]) -> dict[str, Any]:
    """The filter of a page with the instant that ``--since`` means now: ``2h`` moves on while a list is watched."""
    given = filter["since"]
    return filter if given is None else {**filter, "since": since(given)}


def bulk(command: Command) -> Command:
    """``--state``, ``--queue``, ``--task``, ``--tag``, ``--text``, ``--since``, ``--all``: changes of many jobs."""
    command = click.option("--all", "everything", is_flag=True, help="All jobs for which it can be done.")(command)
    return state(_common(_since_option(command, _instant)))


def _since_option(command: Command, callback: Callable[..., object]) -> Command:
    return click.option(
        "--since", metavar="WHEN", callback=callback, help="Only jobs made since: 2h, or 2026-11-15T09:30Z."
    )(command)


def state(command: Command) -> Command:
    """``--state``."""
    return click.option("--state", type=click.Choice([str(one) for one in State]), help="Only jobs in this state.")(
        command
    )


def _instant(context: click.Context, parameter: click.Parameter, value: str | None) -> object:
    return None if value is None else since(value)


def _checked(context: click.Context, parameter: click.Parameter, value: str | None) -> object:
    _instant(context, parameter, value)
    return value
