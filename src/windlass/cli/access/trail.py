"""Has a command's changes recorded in the audit."""

from __future__ import annotations

import logging
from functools import wraps
from typing import Any

import click

from windlass.app import Windlass
from windlass.cli.output import Command, Output, View
from windlass.client.config import actor
from windlass.errors import WindlassError

log = logging.getLogger("windlass.cli")

_TARGETS = ("id", "ids", "name", "names", "worker", "task", "group")
"""The options of commands that say what is changed."""


class _Remembering:
    """Passes an answer on, and keeps it."""

    def __init__(self, out: Output) -> None:
        self._out = out
        self.shown: View | None = None

    def show(self, view: View) -> None:
        self.shown = view
        self._out.show(view)


def audited(command: Command) -> Command:
    """Record what a command has changed, once it has said so: by which user of which host, what, and how many."""

    @wraps(command)
    def run(app: Windlass, *, out: Output, **options: Any) -> None:
        remembered = _Remembering(out)
        try:
            command(app, out=remembered, **options)
        finally:  # of several jobs some may have been changed
            if remembered.shown is not None and (count := _count(remembered.shown.data())):
                _record(app, _target(options), count)

    run.is_audited = True  # type: ignore[attr-defined]  # for the test that walks all commands
    return run


def _record(app: Windlass, target: str, count: int) -> None:
    action = click.get_current_context().command_path.removeprefix("windlass ")
    try:
        app.record_change(who=actor(), via="cli", action=action, target=target, count=count)
    except WindlassError as error:  # the change itself has been made
        log.error("the change could not be recorded in the audit: %s", error)


def _target(options: dict[str, Any]) -> str:
    for name in _TARGETS:
        given = options.get(name)
        if given:
            return given if isinstance(given, str) else " ".join(given)
    filter = [f"{name}={value}" for name, value in options.items() if isinstance(value, str)]
    return " ".join(filter) or "all"


def _count(data: object) -> int:
    """How many things were changed: the numbers or lists that stand for what was done, else one."""
    if not isinstance(data, dict):
        return 1
    lists = [value for name, value in data.items() if name != "errors" and isinstance(value, list)]
    if "errors" in data:
        return sum(map(len, lists))
    done = [data[name] for name in ("retried", "cancelled", "deleted", "forgotten") if name in data]
    return int(done[0]) if done else 1
