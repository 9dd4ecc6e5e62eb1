"""``windlass keys``: concurrency keys that jobs hold, and how many may hold one."""

from __future__ import annotations

import click

from windlass.admin.requests import refuse_unknown_task
from windlass.app import Windlass
from windlass.cli.access.trail import audited
from windlass.cli.app_option import with_app
from windlass.cli.commands.encryption.generate import generate
from windlass.cli.output import Output, with_output
from windlass.cli.terminal.watch import watching
from windlass.cli.views.limits.keys import KeyLimitList, KeyList
from windlass.cli.views.message import Message
from windlass.client.config import actor
from windlass.insight.json_forms import concurrency as concurrency_form


@click.group()
def keys() -> None:
    """Look at concurrency keys, set how many jobs with the same key may run at once; make encryption keys."""


@keys.command("list")
@click.option("--task", help="Only keys of this task.")
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 1000))
@click.option("--cursor", help="The `next` of the page before.")
@with_output
@with_app
@watching
def list_keys(app: Windlass, *, out: Output, task: str | None, limit: int, cursor: str | None) -> None:
    """List the keys that jobs hold, with how many do and how many wait."""
    out.show(KeyList(app.busy_keys(task=task, limit=limit, cursor=cursor)))


@keys.command("limits")
@with_output
@with_app
def list_limits(app: Windlass, *, out: Output) -> None:
    """List the tasks with concurrency keys, and how many jobs may hold one of theirs."""
    out.show(KeyLimitList(app.concurrency_limits()))


@keys.command("set")
@click.argument("task")
@click.option("--concurrency", type=int, help="How many jobs of the task with the same key may run at once.")
@click.option("--reset", is_flag=True, help="Take the change back: what the code says holds again.")
@with_output
@with_app
@audited
def change(app: Windlass, *, out: Output, task: str, concurrency: int | None, reset: bool) -> None:
    """Set how many jobs of a task with the same key may run at once, for all workers and while they run."""
    if (concurrency is None) is not reset:
        raise click.UsageError("say --concurrency or --reset")
    if not reset:
        refuse_unknown_task(app, task)
    handle = app.concurrency(task)
    handle.configure(limit=concurrency, by=actor())
    view = handle.settings()
    jobs = "1 job" if view.limit == 1 else f"{view.limit:,} jobs"
    out.show(Message(f"{jobs} of {task} with the same key may run at once", concurrency_form(view)))


keys.add_command(generate)
