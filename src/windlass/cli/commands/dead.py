"""``windlass dead``: jobs that failed for good."""

from __future__ import annotations

from typing import Any

import click

from windlass.app import Windlass
from windlass.cli import filters
from windlass.cli.access.trail import audited
from windlass.cli.app_option import Confirm, with_app, with_confirmation
from windlass.cli.commands.tasks.group import resume
from windlass.cli.ids import short_ids
from windlass.cli.output import Output, with_output
from windlass.cli.per_id_results import for_each
from windlass.cli.terminal.watch import watching
from windlass.cli.views.dead import DeadGroups, Muted
from windlass.cli.views.jobs import JobList
from windlass.cli.views.message import Message, jobs_counted
from windlass.client.config import actor
from windlass.core.fault.mute import UNTIL_DEPLOY
from windlass.core.state import State
from windlass.errors import IllegalTransition
from windlass.job import Job

_ids = click.argument("ids", nargs=-1, metavar="[ID...]")
_all = click.option("--all", "everything", is_flag=True, help="All dead letters.")


@click.group()
def dead() -> None:
    """Look at jobs that failed for good, retry or delete them."""


@dead.command("list")
@filters.with_filters
@filters.page
@with_output
@with_app
@watching
def list_dead(app: Windlass, *, out: Output, **filter: Any) -> None:
    """List dead letters, the newest first."""
    page = app.jobs(state=State.FAILED, **filters.as_of_now(filter))
    out.show(JobList(page, page.next, page.unsearched, nothing="no dead letters", short=short_ids(app, page, out)))


@dead.command()
@click.option("--limit", default=100, show_default=True, type=click.IntRange(1, 1000))
@with_output
@with_app
def groups(app: Windlass, *, out: Output, limit: int) -> None:
    """Group dead letters by task and cause, the largest group first and muted ones last: type, place and message of the
    error, without what differs from job to job.
    """
    out.show(DeadGroups(app.dead_groups(limit)))


@dead.command()
@click.argument("group")
@click.option("--for", "lasts", default="1h", show_default=True, metavar="TIME", help="How long: 30m, 7d.")
@click.option("--until-deploy", is_flag=True, help="Until workers are started anew, instead of for a time.")
@click.option("--reason", required=True, help="Why, for those who look later.")
@with_output
@with_app
@audited
def mute(app: Windlass, *, out: Output, group: str, lasts: str, until_deploy: bool, reason: str) -> None:
    """Mute a group of failures: it comes last in lists, and alerts on dead letters and error rates leave it out."""
    muted = app.dead_mute(group, lasts=UNTIL_DEPLOY if until_deploy else lasts, reason=reason, by=actor())
    out.show(Muted(muted))


@dead.command()
@click.argument("group")
@with_output
@with_app
@audited
def unmute(app: Windlass, *, out: Output, group: str) -> None:
    """End the mute of a group of failures."""
    if not app.dead_unmute(group):
        raise IllegalTransition(f"group {group} is not muted")
    out.show(Message(f"group {group} counts again", {"unmuted": group}))


dead.add_command(resume)  # the failures of a task may have tripped it


@dead.command()
@_ids
@filters.with_filters
@_all
@click.option("--to-queue", help="Run them in another queue.")
@click.option("--rate", metavar="RATE", help="That far apart: 20/s. They are scheduled; the command does not wait.")
@with_output
@with_app
@audited
def retry(
    app: Windlass,
    *,
    out: Output,
    ids: tuple[str, ...],
    everything: bool,
    to_queue: str | None,
    rate: str | None,
    **filter: Any,
) -> None:
    """Run dead letters again: those named, those that match, or --all."""
    _require_choice(ids, everything, filter)
    if ids and rate is not None:
        raise click.UsageError("--rate is for many: --group, --queue, --task, --tag, --reason, --text or --all")

    def act(id: str) -> str:
        _dead_letter(app, id).retry(queue=to_queue, by=actor())
        return "retried"

    if ids:
        for_each(ids, act, app=app, out=out, words=["retried"])
        return
    count = app.retry_all(state=State.FAILED, to_queue=to_queue, rate=rate, by=actor(), **filter)
    at_a_rate = "" if rate is None else f", {rate} from now on"
    out.show(Message(f"retried {jobs_counted(count)}{at_a_rate}", {"retried": count}))


@dead.command()
@_ids
@filters.with_filters
@_all
@with_output
@with_confirmation
@with_app
@audited
def delete(
    app: Windlass, *, out: Output, confirm: Confirm, ids: tuple[str, ...], everything: bool, **filter: Any
) -> None:
    """Delete dead letters: those named, those that match, or --all."""
    _require_choice(ids, everything, filter)

    def act(id: str) -> str:
        _dead_letter(app, id).delete()
        return "deleted"

    if ids:
        for_each(ids, act, app=app, out=out, words=["deleted"])
        return
    _purge(
        app,
        out,
        confirm,
        "Delete all dead letters that match?" if not everything else "Delete all dead letters?",
        filter,
    )


@dead.command()
@click.option("--older-than", metavar="TIME", help="Only those that failed longer ago: 30d.")
@filters.with_filters
@with_output
@with_confirmation
@with_app
@audited
def purge(app: Windlass, *, out: Output, confirm: Confirm, older_than: str | None, **filter: Any) -> None:
    """Delete dead letters by age."""
    whose = "all dead letters" if older_than is None else f"dead letters older than {older_than}"
    _purge(app, out, confirm, f"Delete {whose}?", {**filter, "older_than": older_than})


def _purge(app: Windlass, out: Output, confirm: Confirm, question: str, filter: dict[str, Any]) -> None:
    confirm(question)
    count = app.purge(state=State.FAILED, **filter)
    out.show(Message(f"deleted {jobs_counted(count)}", {"deleted": count}))


def _require_choice(ids: tuple[str, ...], everything: bool, filter: dict[str, Any]) -> None:
    has_filter = any(value is not None for value in filter.values())
    if [bool(ids), has_filter, everything].count(True) != 1:
        raise click.UsageError(
            "say which: ids, or --group, --queue, --task, --tag, --meta, --arg, --reason and --text, or --all"
        )


def _dead_letter(app: Windlass, id: str) -> Job[Any]:
    job = app.job(id)
    if job.state is not State.FAILED:
        raise IllegalTransition(f"job {id} is {job.state}, not a dead letter")
    return job
