"""``windlass jobs``: look at jobs and change their fate."""

from __future__ import annotations

from typing import Any

import click

from windlass.actor import actor
from windlass.app import Windlass
from windlass.cli import filters
from windlass.cli.managing import managing
from windlass.cli.output import Output, printing
from windlass.cli.tally import for_each
from windlass.cli.views.job import JobDetail
from windlass.cli.views.jobs import JobList
from windlass.cli.views.timeline import Timeline, Why
from windlass.errors import IllegalTransition

_ids = click.argument("ids", nargs=-1, required=True, metavar="ID...")
_id = click.argument("id", metavar="ID")


@click.group()
def jobs() -> None:
    """Look at jobs, retry, cancel or delete them."""


@jobs.command("list")
@filters.state
@filters.matching
@filters.page
@printing
@managing
def list_jobs(app: Windlass, *, out: Output, **filter: Any) -> None:
    """List jobs, the newest first."""
    page = app.jobs(**filter)
    out.show(JobList(page, page.next))


@jobs.command()
@_id
@printing
@managing
def show(app: Windlass, *, out: Output, id: str) -> None:
    """Show everything about one job.

    Values whose key sounds like a secret are masked.
    """
    job = app.job(id)
    out.show(JobDetail(job, _parameters(app, job.task)))


@jobs.command()
@_ids
@click.option("--queue", help="Run it in another queue.")
@printing
@managing
def retry(app: Windlass, *, out: Output, ids: tuple[str, ...], queue: str | None) -> None:
    """Run jobs again, with all their attempts.

    Also runs a job now that waits for its time.
    """

    def act(id: str) -> str:
        app.retry(id, queue=queue, by=actor())
        return "retried"

    for_each(ids, act, out=out, words=["retried"])


@jobs.command()
@_ids
@click.option("--reason", help="Why; kept in the job's timeline.")
@printing
@managing
def cancel(app: Windlass, *, out: Output, ids: tuple[str, ...], reason: str | None) -> None:
    """Cancel jobs that wait, and ask running ones to stop."""

    def act(id: str) -> str:
        if not app.cancel(id, by=actor(), reason=reason):
            raise IllegalTransition(f"job {id} is {app.job(id).state}; it cannot be cancelled")
        return "cancelled" if app.job(id).done else "asked_to_stop"

    for_each(ids, act, out=out, words=["cancelled", "asked_to_stop"])


@jobs.command()
@_ids
@printing
@managing
def delete(app: Windlass, *, out: Output, ids: tuple[str, ...]) -> None:
    """Delete jobs that do not run."""

    def act(id: str) -> str:
        app.job(id).delete()
        return "deleted"

    for_each(ids, act, out=out, words=["deleted"])


@jobs.command()
@_id
@printing
@managing
def timeline(app: Windlass, *, out: Output, id: str) -> None:
    """Tell what happened to a job, step by step."""
    out.show(Timeline(id, app.job(id).timeline()))


@jobs.command()
@_id
@printing
@managing
def why(app: Windlass, *, out: Output, id: str) -> None:
    """Tell why a job is not running."""
    job = app.job(id)
    out.show(Why(job, job.why()))


def _parameters(app: Windlass, task: str) -> list[str]:
    """The names of what a task takes, where the app knows it."""
    known = next((one for one in app.tasks if one.name == task), None)
    return [] if known is None else list(known.shape.signature.parameters)
