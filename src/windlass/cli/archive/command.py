"""``windlass archive``: lists, shows, restores."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

import click

from windlass.admin.archive import ArchivedJobs
from windlass.app import Windlass
from windlass.cli.access.trail import audited
from windlass.cli.app_option import with_app
from windlass.cli.archive.views import ArchiveList
from windlass.cli.output import Output, with_output
from windlass.cli.times import now
from windlass.cli.views.job import JobDetail
from windlass.cli.views.message import Message
from windlass.client.config import actor
from windlass.core.state import FINISHED
from windlass.core.units import read_past
from windlass.insight.json_forms import job_summary
from windlass.insight.payload import parameters_of
from windlass.job import Job
from windlass.steps.view import step_view

Command = TypeVar("Command", bound=Callable[..., Any])

_folder = click.option("--folder", metavar="FOLDER", help="Archive files, in place of what the app says.")


def _instant(context: click.Context, parameter: click.Parameter, value: str | None) -> datetime | None:
    return None if value is None else read_past(value, f"--{parameter.name}", now=now())


def _time_range(command: Command) -> Command:
    """``--since`` and ``--until``."""
    command = click.option(
        "--until", metavar="WHEN", callback=_instant, help="Finished before: 2h ago, or 2026-11-15T09:30Z."
    )(command)
    return click.option(
        "--since", metavar="WHEN", callback=_instant, help="Finished since: 30d, or 2026-11-15T09:30Z."
    )(command)


@click.group()
def archive() -> None:
    """Look at jobs that retention has put aside, in the store's table or in files, and put them back."""


@archive.command("list")
@click.option("--queue", help="Only jobs of this queue.")
@click.option("--task", help="Only jobs of this task.")
@click.option("--state", type=click.Choice(sorted(str(state) for state in FINISHED)), help="Only jobs in this state.")
@_time_range
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 1000))
@click.option("--cursor", help="Go on where a page ended.")
@_folder
@with_output
@with_app
def list_archive(app: Windlass, *, out: Output, folder: str | None, **filter: Any) -> None:
    """List archived jobs, the newest weeks first."""
    page = _archive(app, folder).jobs(**filter)
    jobs: list[Job[Any]] = [Job.of(app.client, job.record) for job in page]
    out.show(ArchiveList(jobs, page.next, page.damaged))


@archive.command()
@click.argument("id")
@_time_range
@_folder
@with_output
@with_app
def show(
    app: Windlass, *, out: Output, id: str, folder: str | None, since: datetime | None, until: datetime | None
) -> None:
    """Show everything about one archived job.

    Values whose key sounds like a secret are masked. Files, and the archive of Redis, are searched from job to job;
    --since and --until shorten that.
    """
    found = _archive(app, folder).job(id, since=since, until=until)
    job: Job[Any] = Job.of(app.client, found.record)
    out.show(JobDetail(job, parameters_of(job.task, app.tasks), [step_view(step) for step in found.steps]))


@archive.command()
@click.argument("id")
@_time_range
@_folder
@with_output
@with_app
@audited
def restore(
    app: Windlass, *, out: Output, id: str, folder: str | None, since: datetime | None, until: datetime | None
) -> None:
    """Put an archived job back into the store as it was; windlass jobs retry runs it again.

    Retention keeps it for the whole time again. It is taken out of the store's table; files keep their copy.
    """
    job = _archive(app, folder).restore(id, since=since, until=until, by=actor())
    out.show(Message(f"restored job {job.id}, {job.state}, in queue {job.queue}", job_summary(job)))


def _archive(app: Windlass, folder: str | None) -> ArchivedJobs:
    return app.archive if folder is None else app.archive.at(folder)
