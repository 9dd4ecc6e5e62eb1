"""``windlass schedules add`` and ``edit``: what a schedule says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from windlass.admin.requests import refuse_unknown_task
from windlass.app import Windlass
from windlass.cli.access.trail import audited
from windlass.cli.app_option import with_app
from windlass.cli.commands.enqueue import json_value
from windlass.cli.output import Output, with_output
from windlass.cli.views.message import Message
from windlass.cli.views.schedules import next_slot
from windlass.client.config import actor
from windlass.insight import json_forms

C = TypeVar("C", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--cron", metavar="EXPRESSION", help="Five fields, as in '30 2 * * mon-fri', or @daily and the like."),
    click.option("--tz", metavar="ZONE", help="The expression's time zone, as in America/New_York; UTC by default."),
    click.option("--every", metavar="TIME", help="An interval in place of an expression: 30s, 15m, 2h."),
    click.option("--catch-up", type=click.Choice(["skip", "latest", "all"]), help="What about slots that were missed."),
    click.option("--catch-up-limit", type=int, help="How many at most with --catch-up all; 10 by default."),
    click.option("--overlap", type=click.Choice(["allow", "skip", "buffer"]), help="While the last job is not done."),
    click.option("--jitter", metavar="TIME", help="Fire up to this much later, so that not all come at once."),
    click.option("--queue", help="In place of the task's own."),
    click.option("--priority", type=int, help="-100 to 100; higher runs first."),
    click.option("--attempts", type=int, help="How many runs a job may take."),
    click.option("--timeout", metavar="TIME", help="How long one run may take."),
    click.option("--expires", metavar="TIME", help="Cancel a job that has not started so long after its slot."),
    click.option("--unique", metavar="KEY", help="No job is made while an unfinished one holds this key."),
    click.option("--concurrency-key", metavar="KEY", help="Of which only so many jobs of the task run at once."),
    click.option("--rate-key", metavar="KEY", help="Of which only so many jobs of the task begin in a time."),
    click.option("--meta", metavar="JSON", help="An object that travels with each job."),
    click.option("--tag", "tags", multiple=True, help="May be given more than once."),
)


def _with_options(command: C) -> C:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.command()
@click.argument("name", metavar="SCHEDULE")
@click.argument("task")
@click.argument("args", default="[]")
@click.argument("kwargs", default="{}")
@_with_options
@with_output
@with_app
@audited
def add(app: Windlass, *, out: Output, name: str, task: str, args: str, kwargs: str, **given: Any) -> None:
    """Add a schedule that no code declares: its name, its TASK, ARGS (a JSON list) and KWARGS (an object).

    \b
      windlass schedules add nightly reports.build --cron "30 2 * * *" --tz America/New_York
    """
    refuse_unknown_task(app, task)
    options = {**_options(given), "args": json_value(args, list, "ARGS"), "kwargs": json_value(kwargs, dict, "KWARGS")}
    schedule = app.add_schedule(name, task, by=actor(), **options)
    out.show(Message(f"added schedule {name}; next {next_slot(schedule)}", json_forms.schedule(schedule)))


@click.command()
@click.argument("name", metavar="SCHEDULE")
@_with_options
@click.option("--args", metavar="JSON", help="The arguments, as a list.")
@click.option("--kwargs", metavar="JSON", help="The arguments by name, as an object.")
@click.option("--reset", is_flag=True, help="Take all changes back: what the code says holds again.")
@with_output
@with_app
@audited
def edit(app: Windlass, *, out: Output, name: str, reset: bool, **given: Any) -> None:
    """Change what a schedule says; the next slot is worked out anew."""
    options = _options(given)
    if reset and options:
        raise click.UsageError("--reset takes all changes back; leave the other options out")
    schedule = app.schedule(name)
    schedule = schedule.reset() if reset else schedule.edit(by=actor(), **options)
    verb = "reset" if reset else "changed"
    out.show(Message(f"{verb} schedule {name}; next {next_slot(schedule)}", json_forms.schedule(schedule)))


def _options(given: dict[str, Any]) -> dict[str, Any]:
    options = {name: value for name, value in given.items() if value not in (None, ())}
    for option, kind in (("meta", dict), ("args", list), ("kwargs", dict)):
        if option in options:
            options[option] = json_value(options[option], kind, f"--{option}")
    return options
