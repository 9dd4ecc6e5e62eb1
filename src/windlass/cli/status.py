"""``windlass status`` and ``windlass migrate``."""

from __future__ import annotations

import click

from windlass.app import Windlass
from windlass.cli.managing import managing
from windlass.cli.output import Output, printing
from windlass.cli.views.said import Said
from windlass.cli.views.status import Status


@click.command()
@printing
@managing
def status(app: Windlass, *, out: Output) -> None:
    """Show the store, the jobs by state, queues and workers."""
    out.show(Status(app.store, app.overview()))


@click.command()
@printing
@managing
def migrate(app: Windlass, *, out: Output) -> None:
    """Bring the store's schema up to date."""
    steps = app.migrate()
    done = f"took {', '.join(steps)}" if steps else "is up to date"
    out.show(Said(f"{app.store}: {done}", {"store": app.store, "steps": steps}))
