"""``windlass migrate``."""

from __future__ import annotations

import click

from windlass.app import Windlass
from windlass.cli.managing import managing
from windlass.cli.output import Output, printing
from windlass.cli.views.said import Said
from windlass.cli.views.script import Script


@click.command()
@click.option("--sql", "as_sql", is_flag=True, help="Print the SQL of what is missing, and change nothing.")
@printing
@managing
def migrate(app: Windlass, *, out: Output, as_sql: bool) -> None:
    """Bring the store's schema up to date.

    SQLite and Redis do that by themselves. On PostgreSQL do it when a new release asks for it, before its workers
    start; workers of the release before it go on.
    """
    if as_sql:
        out.show(Script(app.store, app.migration_sql()))
        return
    steps = app.migrate()
    done = f"took {', '.join(steps)}" if steps else "is up to date"
    out.show(Said(f"{app.store}: {done}", {"store": app.store, "steps": steps}))
