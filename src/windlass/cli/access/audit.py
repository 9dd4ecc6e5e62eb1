"""``windlass audit``: lists what was changed."""

from __future__ import annotations

import click

from windlass.app import Windlass
from windlass.cli.access.views import AuditList
from windlass.cli.app_option import with_app
from windlass.cli.output import Output, with_output


@click.group()
def audit() -> None:
    """Look at who changed what, by the command line and the HTTP API."""


@audit.command("list")
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 1000))
@click.option("--cursor", type=int, help="The `next` of the page before.")
@with_output
@with_app
def list_audit(app: Windlass, *, out: Output, limit: int, cursor: int | None) -> None:
    """List changes, the newest first: when, by which user or token, what, and to how many."""
    out.show(AuditList(app.audit(limit=limit, cursor=cursor)))
