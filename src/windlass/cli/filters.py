"""``--state``, ``--queue``, ``--task`` …: which jobs a command is about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from windlass.cli.times import now
from windlass.core.state import State
from windlass.core.units import duration, read_past
from windlass.errors import ConfigError

Command = TypeVar("Command", bound=Callable[..., Any])


def with_filters(command: Command) -> Command:
    """``--queue``, ``--task``, ``--reason``, ``--group``, ``--tag``, ``--meta``, ``--arg`` and ``--text``."""
    command = click.option("--group", "cause", help="Only failed jobs of this group (windlass dead groups).")(command)
    command = click.option("--reason", help="Only jobs with this reason: attempts, timeout, crashed ...")(command)
    return _common(command)


def running_for(command: Command) -> Command:
    """``--running-for``."""
    return click.option(
        "--running-for", metavar="TIME", callback=_length, help="Only jobs that have been running for so long: 10m."
    )(command)


def _common(command: Command) -> Command:
    command = click.option(
        "--text", help="Only jobs with this text in id, task, queue, worker, tags, arguments, metadata or errors."
    )(command)
    command = click.option(
        "--meta",
        multiple=True,
        metavar="KEY=VALUE",
        callback=_pairs,
        help="Only jobs with this metadata; may be given more than once.",
    )(command)
    command = click.option(
        "--arg",
        multiple=True,
        metavar="NAME=VALUE",
        callback=_pairs,
        help="Only jobs whose argument of this name has this value; may be given more than once.",
    )(command)
    command = click.option("--tag", help="Only jobs with this tag: vip, or plan=pro.")(command)
    command = click.option("--task", help="Only jobs of this task.")(command)
    return click.option("--queue", help="Only jobs of this queue.")(command)


def page(command: Command) -> Command:
    """``--since``, ``--until``, ``--limit`` and ``--cursor``; ``as_of_now`` computes the instants."""
    command = click.option("--cursor", type=int, help="Go on where a page ended.")(command)
    command = click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 10_000))(command)
    return _time_options(command, _checked)


def as_of_now(filter: dict[str, Any]) -> dict[str, Any]:
    """The filter of a page with the instants that ``--since`` and ``--until`` mean now: ``2h`` moves on while a list is
    watched.
    """
    given = {name: filter[name] for name in ("since", "until") if filter[name] is not None}
    return {**filter, **{name: read_past(text, f"--{name}", now=now()) for name, text in given.items()}}


def bulk(command: Command) -> Command:
    """``--state``, ``--queue``, ``--task``, ``--tag``, ``--meta``, ``--arg``, ``--text``, ``--since``, ``--until``,
    ``--all``: changes of many jobs.
    """
    command = click.option("--all", "everything", is_flag=True, help="All jobs for which it can be done.")(command)
    return state(_common(_time_options(command, _instant)))


def _time_options(command: Command, callback: Callable[..., object]) -> Command:
    command = click.option(
        "--until", metavar="WHEN", callback=callback, help="Only jobs made before: 2h ago, or 2026-11-15T09:30Z."
    )(command)
    return click.option(
        "--since", metavar="WHEN", callback=callback, help="Only jobs made since: 2h, or 2026-11-15T09:30Z."
    )(command)


def state(command: Command) -> Command:
    """``--state``."""
    return click.option("--state", type=click.Choice([str(one) for one in State]), help="Only jobs in this state.")(
        command
    )


def _instant(context: click.Context, parameter: click.Parameter, value: str | None) -> object:
    return None if value is None else read_past(value, f"--{parameter.name}", now=now())


def _checked(context: click.Context, parameter: click.Parameter, value: str | None) -> object:
    _instant(context, parameter, value)
    return value


def _length(context: click.Context, parameter: click.Parameter, value: str | None) -> object:
    return None if value is None else duration(value, "--running-for")


def _pairs(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> object:
    """Values by key; None without any."""
    pairs: dict[str, str] = {}
    for text in values:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise ConfigError(f"--{parameter.name} must look like {parameter.metavar}, as in tenant=a; got {text!r}")
        pairs[key] = value
    return pairs or None
