"""``windlass limits``: lists, sets, empties, resumes, deletes."""

from __future__ import annotations

from typing import Any

import click

from windlass.app import Windlass
from windlass.cli.access.trail import audited
from windlass.cli.app_option import Confirm, with_app, with_confirmation
from windlass.cli.errors import require_known
from windlass.cli.output import Output, with_output
from windlass.cli.terminal.watch import watching
from windlass.cli.views.limits.limits import LimitList
from windlass.cli.views.message import Message
from windlass.client.config import actor
from windlass.insight.json_forms import limit as limit_form
from windlass.limit import Limit

_name = click.argument("name", metavar="LIMIT")


@click.group()
def limits() -> None:
    """Look at named limits, set their rates, empty their buckets."""


@limits.command("list")
@with_output
@with_app
@watching
def list_limits(app: Windlass, *, out: Output) -> None:
    """List limits with their rates, their tokens and how many callers wait for one."""
    out.show(LimitList(app.limits()))


@limits.command("set")
@_name
@click.option("--rate", metavar="RATE", help="How many tokens in which time: 30/min, 10/s, 5000/h.")
@click.option("--burst", type=int, help="How many tokens there may be at once.")
@with_output
@with_app
@audited
def change(app: Windlass, *, out: Output, name: str, rate: str | None, burst: int | None) -> None:
    """Set a limit, for all processes and while they run; it need not exist yet."""
    given: dict[str, Any] = {"rate": rate, "burst": burst}
    changes = {setting: value for setting, value in given.items() if value is not None}
    if not changes:
        raise click.UsageError("nothing to change: say --rate, --burst or both")
    limit = app.limit(name)
    limit.configure(**changes, by=actor())
    view = limit.status()
    out.show(Message(f"limit {name} is {view.rate}, burst {view.burst:,}", limit_form(view)))


@limits.command()
@_name
@with_output
@with_app
@audited
def drain(app: Windlass, *, out: Output, name: str) -> None:
    """Empty a limit's bucket: the service said "too many"."""
    limit = _existing(app, name)
    limit.drain()
    out.show(Message(f"drained limit {name}", limit_form(limit.status())))


@limits.command()
@_name
@with_output
@with_app
@audited
def resume(app: Windlass, *, out: Output, name: str) -> None:
    """End a limit's cool-down."""
    limit = _existing(app, name)
    limit.resume()
    out.show(Message(f"resumed limit {name}", limit_form(limit.status())))


@limits.command()
@_name
@with_output
@with_confirmation
@with_app
@audited
def delete(app: Windlass, *, out: Output, confirm: Confirm, name: str) -> None:
    """Delete a limit; one that the code declares is set up again as the code says when it is used next."""
    limit = _existing(app, name)
    confirm(f"Delete limit {name}?")
    limit.delete()
    out.show(Message(f"deleted limit {name}", {"limit": name, "deleted": True}))


def _existing(app: Windlass, name: str) -> Limit:
    """The limit, if there is one of this name in the store."""
    limit = app.limit(name)
    require_known("limit", name, [view.name for view in app.limits()])
    return limit
