"""``windlass migrate``: upgrades the schema."""

from __future__ import annotations

import click

from windlass.app import Windlass
from windlass.cli.app_option import with_app
from windlass.cli.output import Output, with_output
from windlass.cli.views.message import Message
from windlass.cli.views.sql_text import SqlText


@click.command()
@click.option("--sql", "as_sql", is_flag=True, help="Print the SQL of what is missing, and change nothing.")
@with_output
@with_app
def migrate(app: Windlass, *, out: Output, as_sql: bool) -> None:
    """Bring the store's schema up to date.

    SQLite and Redis do that by themselves. On PostgreSQL do it when a new release asks for it, before its workers
    start; workers of the release before it go on.
    """
    if as_sql:
        out.show(SqlText(app.store, app.migration_sql()))
        return
    steps = app.migrate()
    done = f"took {', '.join(steps)}" if steps else "is up to date"
    out.show(Message(f"{app.store}: {done}", {"store": app.store, "steps": steps}))
