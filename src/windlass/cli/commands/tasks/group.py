"""``windlass tasks``: lists the rates of tasks, sets them, ends cool-downs."""

from __future__ import annotations

import click

from windlass.app import Windlass
from windlass.cli.access.trail import audited
from windlass.cli.app_option import with_app
from windlass.cli.output import Output, with_output
from windlass.cli.terminal.watch import watching
from windlass.cli.views.limits.tasks import TaskRateList
from windlass.cli.views.message import Message
from windlass.client.config import actor
from windlass.insight.json_forms import task_rate as rate_form

_task = click.argument("task")


@click.group()
def tasks() -> None:
    """Look at the rates of tasks, set them, end cool-downs."""


@tasks.command("list")
@with_output
@with_app
@watching
def list_rates(app: Windlass, *, out: Output) -> None:
    """List the tasks that have a rate, or cool down: what holds, what the code says, and who has set it."""
    out.show(TaskRateList(app.task_rates()))


@tasks.command("set")
@_task
@click.option("--rate", metavar="RATE", help="How many of its jobs begin in which time: 30/min, 10/s, 5000/h.")
@click.option("--burst", type=int, help="How many of them at once; goes with --rate.")
@click.option("--no-rate", is_flag=True, help="No limit, whatever the code says.")
@click.option("--reset", is_flag=True, help="Take the change back: what the code says holds again.")
@with_output
@with_app
@audited
def change(
    app: Windlass, *, out: Output, task: str, rate: str | None, burst: int | None, no_rate: bool, reset: bool
) -> None:
    """Set the rate of a task, or of each of its rate keys, for all workers and while they run."""
    if [rate is not None, no_rate, reset].count(True) != 1:
        raise click.UsageError("say one of --rate, --no-rate and --reset")
    if burst is not None and rate is None:
        raise click.UsageError("--burst goes with --rate")
    handle = app.task_rate(task)
    if reset:
        handle.reset(by=actor())
    else:
        handle.configure(rate=rate, burst=burst, by=actor())
    view = handle.settings()
    holds = "no limit" if view.rate is None else f"{view.rate}, burst {view.burst:,}"
    out.show(Message(f"the rate of task {task} is {holds}", rate_form(view)))


@tasks.command()
@_task
@with_output
@with_app
@audited
def resume(app: Windlass, *, out: Output, task: str) -> None:
    """End the cool-downs of a task that has tripped or was throttled, and of its rate keys; its jobs run now."""
    handle = app.task_rate(task)
    ended = handle.resume(by=actor())
    said = f"resumed task {task}" if ended else f"task {task} does not cool down"
    out.show(Message(said, {**rate_form(handle.settings()), "resumed": ended}))
