"""``windlass status``."""

from __future__ import annotations

import click

from windlass.app import Windlass
from windlass.cli.failure import PROBLEM
from windlass.cli.managing import managing
from windlass.cli.output import Output, printing
from windlass.cli.views.status import Status
from windlass.cli.watch import watching


@click.command()
@click.option("--check", is_flag=True, help="Exit with 1 when something needs a hand.")
@printing
@managing
@watching
def status(app: Windlass, *, out: Output, check: bool) -> None:
    """Show the store, the jobs by state, queues, workers, and what was noticed lately."""
    if check and click.get_current_context().params["watch"] is not None:
        raise click.UsageError("--check looks once and exits; leave --watch out")
    overview = app.overview()
    out.show(Status(app.store, overview))
    if check and overview.problems:
        raise click.exceptions.Exit(PROBLEM)
