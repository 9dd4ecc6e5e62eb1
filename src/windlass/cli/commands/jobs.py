"""``windlass jobs``: lists, shows, cancels, retries, deletes."""

from __future__ import annotations

from typing import Any

import click

from windlass.app import Windlass
from windlass.cli import filters
from windlass.cli.access.trail import audited
from windlass.cli.app_option import Confirm, with_app, with_confirmation
from windlass.cli.bulk import Bulk, change_all, wants_many
from windlass.cli.ids import short_ids, whole_id
from windlass.cli.output import Output, with_output
from windlass.cli.per_id_results import for_each
from windlass.cli.terminal.watch import watching
from windlass.cli.views.job import JobDetail
from windlass.cli.views.jobs import JobList
from windlass.cli.views.timeline import Timeline, Why
from windlass.client.config import actor
from windlass.core.state import State, Verb
from windlass.errors import IllegalTransition
from windlass.insight.flows.relatives import family
from windlass.insight.payload import cached_until, parameters_of
from windlass.store.operations.flows.groups import groups_of

_ids = click.argument("ids", nargs=-1, metavar="[ID...]")
_id = click.argument("id", metavar="ID")


@click.group()
def jobs() -> None:
    """Look at jobs, retry, cancel or delete them."""


@jobs.command("list")
@filters.state
@filters.running_for
@filters.with_filters
@filters.page
@with_output
@with_app
@watching
def list_jobs(app: Windlass, *, out: Output, **filter: Any) -> None:
    """List jobs, the newest first."""
    page = app.jobs(**filters.as_of_now(filter))
    out.show(JobList(page, page.next, page.unsearched, short=short_ids(app, page, out)))


@jobs.command()
@_id
@with_output
@with_app
def show(app: Windlass, *, out: Output, id: str) -> None:
    """Show everything about one job.

    Values whose key sounds like a secret are masked.
    """
    out.show(job_detail(app, whole_id(app, id)))


def job_detail(app: Windlass, id: str) -> JobDetail:
    """Everything about one job, as it is shown."""
    job = app.job(id)
    parameters = parameters_of(job.task, app.tasks)
    cached = app.client.session.run(cached_until(app.client, job))
    family_of = app.client.session.run(family(job.record.seq))
    groups = app.client.session.run(groups_of(job.record.seq))
    lease = job.lease_expires_at if job.state is State.RUNNING else None
    return JobDetail(job, parameters, job.steps(), cached, family_of, lease, groups)


@jobs.command()
@_ids
@filters.bulk
@click.option("--to-queue", help="Run them in another queue.")
@with_output
@with_confirmation
@with_app
@audited
def retry(
    app: Windlass,
    *,
    out: Output,
    confirm: Confirm,
    ids: tuple[str, ...],
    everything: bool,
    to_queue: str | None,
    **filter: Any,
) -> None:
    """Run jobs again, with all their attempts: those named, or those that match (failed ones, unless --state is given).

    Also runs jobs now that wait for their time, or for other jobs.
    """
    if wants_many(ids, everything, filter):
        filter["state"] = filter["state"] or State.FAILED
        many = Bulk("retry", "retried", Verb.RETRY, lambda one: app.retry_all(to_queue=to_queue, by=actor(), **one))
        change_all(app, many, filter, out=out, confirm=confirm)
        return

    def act(id: str) -> str:
        app.retry(id, queue=to_queue, by=actor())
        return "retried"

    for_each(ids, act, app=app, out=out, words=["retried"])


@jobs.command()
@_ids
@filters.bulk
@click.option("--reason", help="Why; kept in the timeline of each job.")
@click.option("--descendants", is_flag=True, help="Of jobs that are named: also all that wait for them, however deep.")
@with_output
@with_confirmation
@with_app
@audited
def cancel(
    app: Windlass,
    *,
    out: Output,
    confirm: Confirm,
    ids: tuple[str, ...],
    everything: bool,
    reason: str | None,
    descendants: bool,
    **filter: Any,
) -> None:
    """Cancel jobs that wait, and ask running ones to stop: those named, or those that match."""
    if wants_many(ids, everything, filter):
        if descendants:
            raise click.UsageError("--descendants is for jobs that are named by their ids")
        many = Bulk("cancel", "cancelled", Verb.CANCEL, lambda one: app.cancel_all(by=actor(), because=reason, **one))
        change_all(app, many, filter, out=out, confirm=confirm)
        return

    def act(id: str) -> str:
        if not app.cancel(id, by=actor(), reason=reason, descendants=descendants):
            downstream = ", and so is all that waits for it" if descendants else ""
            raise IllegalTransition(f"job {id} is {app.job(id).state}{downstream}; it cannot be cancelled")
        return "cancelled" if app.job(id).done else "asked_to_stop"

    for_each(ids, act, app=app, out=out, words=["cancelled", "asked_to_stop"])


@jobs.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--reason", help="What its error says.")
@with_output
@with_app
@audited
def fail(app: Windlass, *, out: Output, ids: tuple[str, ...], reason: str | None) -> None:
    """End jobs that wait or run as failed, without a retry.

    A running one is taken from its worker: its code may run until the next heartbeat of the worker, and nothing that it
    writes counts any more. `jobs cancel` asks it to stop instead.
    """
    notes: dict[str, str] = {}

    def act(id: str) -> str:
        if app.fail(id, reason, by=actor()):
            notes[id] = " (its code may run until the next heartbeat of its worker)"
        return "failed"

    for_each(ids, act, app=app, out=out, words=["failed"], notes=notes)


@jobs.command()
@_ids
@filters.bulk
@with_output
@with_confirmation
@with_app
@audited
def delete(
    app: Windlass, *, out: Output, confirm: Confirm, ids: tuple[str, ...], everything: bool, **filter: Any
) -> None:
    """Delete jobs that do not run: those named, or those that match."""
    if wants_many(ids, everything, filter):
        many = Bulk("delete", "deleted", Verb.DELETE, lambda one: app.purge(**one))
        change_all(app, many, filter, out=out, confirm=confirm)
        return

    def act(id: str) -> str:
        app.job(id).delete()
        return "deleted"

    for_each(ids, act, app=app, out=out, words=["deleted"])


@jobs.command()
@_id
@with_output
@with_app
def timeline(app: Windlass, *, out: Output, id: str) -> None:
    """Show what happened to a job, step by step."""
    job = app.job(whole_id(app, id))
    out.show(Timeline(job.id, job.timeline()))


@jobs.command()
@_id
@with_output
@with_app
def why(app: Windlass, *, out: Output, id: str) -> None:
    """Explain why a job is not running."""
    job = app.job(whole_id(app, id))
    out.show(Why(job, job.why()))
