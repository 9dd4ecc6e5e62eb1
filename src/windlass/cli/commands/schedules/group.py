"""``windlass schedules``: all commands but those that write what a schedule says."""

from __future__ import annotations

import click

from windlass.app import Windlass
from windlass.cli.access.trail import audited
from windlass.cli.app_option import Confirm, with_app, with_confirmation
from windlass.cli.commands.schedules.definition import add, edit
from windlass.cli.output import Output, with_output
from windlass.cli.terminal.watch import watching
from windlass.cli.views.message import Message, counted
from windlass.cli.views.schedule import Preview, ScheduleDetail
from windlass.cli.views.schedules import ScheduleList, next_slot
from windlass.client.config import actor
from windlass.insight import json_forms
from windlass.insight.payload import parameters_of

_name = click.argument("name", metavar="SCHEDULE")


@click.group()
def schedules() -> None:
    """Look at schedules, add and change them, pause them, run them now."""


@schedules.command("list")
@click.option("--task", help="Only those of this task.")
@click.option("--enabled/--disabled", default=None, help="Only those that fire, or only those that do not.")
@with_output
@with_app
@watching
def list_schedules(app: Windlass, *, out: Output, task: str | None, enabled: bool | None) -> None:
    """List schedules: when they are due, and when next."""
    out.show(ScheduleList(app.schedules(task=task, enabled=enabled)))


@schedules.command()
@_name
@click.option("--fires", "limit", default=10, show_default=True, type=click.IntRange(1, 1000), help="How many slots.")
@with_output
@with_app
def show(app: Windlass, *, out: Output, name: str, limit: int) -> None:
    """Show what a schedule says, and what became of its last slots."""
    schedule = app.schedule(name)
    out.show(ScheduleDetail(schedule, schedule.fires(limit=limit), parameters_of(schedule.task, app.tasks)))


schedules.add_command(add)
schedules.add_command(edit)


@schedules.command()
@_name
@click.option("--reason", help="Why; shown wherever the schedule is shown.")
@with_output
@with_app
@audited
def pause(app: Windlass, *, out: Output, name: str, reason: str | None) -> None:
    """Fire no more until resume; slots meanwhile are not made up for."""
    schedule = app.schedule(name).pause(reason, by=actor())
    out.show(Message(f"paused schedule {name}", json_forms.schedule(schedule)))


@schedules.command()
@_name
@with_output
@with_app
@audited
def resume(app: Windlass, *, out: Output, name: str) -> None:
    """Go on with the first slot from now on."""
    schedule = app.schedule(name).resume()
    out.show(Message(f"resumed schedule {name}; next {next_slot(schedule)}", json_forms.schedule(schedule)))


@schedules.command()
@_name
@with_output
@with_app
@audited
def run(app: Windlass, *, out: Output, name: str) -> None:
    """Make a schedule's job now, besides its slots."""
    job = app.schedule(name).run_now()
    verb = "exists already:" if job.duplicate else "enqueued"
    values = {"schedule": name, "id": job.id, "state": str(job.state), "duplicate": job.duplicate}
    out.show(Message(f"{verb} {job.id} ({job.task}, queue {job.queue}, {job.state})", values))


@schedules.command()
@_name
@click.option("-n", "--count", default=10, show_default=True, type=click.IntRange(1, 1000))
@with_output
@with_app
def preview(app: Windlass, *, out: Output, name: str, count: int) -> None:
    """Show the next slots, in the schedule's time zone and in UTC, with a note where the clocks change."""
    schedule = app.schedule(name)
    out.show(Preview(schedule, schedule.preview(count)))


@schedules.command()
@_name
@with_output
@with_confirmation
@with_app
@audited
def delete(app: Windlass, *, out: Output, confirm: Confirm, name: str) -> None:
    """Delete a schedule and its ledger of fires; refused while code declares it."""
    schedule = app.schedule(name)
    confirm(f"Delete schedule {name} ({schedule.settings.due}, task {schedule.task})?")
    schedule.delete()
    out.show(Message(f"deleted schedule {name}", {"schedule": name, "deleted": True}))


@schedules.command()
@with_output
@with_app
def recompute(app: Windlass, *, out: Output) -> None:
    """Work out the next slot of every schedule anew, after new time zone data."""
    moved = app.recompute_schedules()
    out.show(Message(f"{counted(moved, 'schedule')} moved", {"moved": moved}))
