"""``windlass status``: everything at a glance."""

from __future__ import annotations

import click

from windlass.app import Windlass
from windlass.cli.app_option import with_app
from windlass.cli.errors import PROBLEM
from windlass.cli.output import Output, with_output
from windlass.cli.terminal.watch import watching
from windlass.cli.views.status import Status


@click.command()
@click.option("--check", is_flag=True, help="Exit with 1 when something needs a hand.")
@with_output
@with_app
@watching
def status(app: Windlass, *, out: Output, check: bool) -> None:
    """Show the store, the jobs by state, queues, workers, and what was noticed lately."""
    if check and click.get_current_context().params["watch"] is not None:
        raise click.UsageError("--check looks once and exits; leave --watch out")
    overview = app.overview()
    out.show(Status(app.store, overview, app.alerts.firing()))
    if check and overview.problems:
        raise click.exceptions.Exit(PROBLEM)
