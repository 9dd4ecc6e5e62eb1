"""``windlass status``."""

from __future__ import annotations

import click

from windlass.app import Windlass
from windlass.cli.managing import managing
from windlass.cli.output import Output, printing
from windlass.cli.views.status import Status


@click.command()
@printing
@managing
def status(app: Windlass, *, out: Output) -> None:
    """Show the store, the jobs by state, queues, workers, and what was noticed lately."""
    out.show(Status(app.store, app.overview()))
