"""``windlass tokens``: adds, lists and revokes."""

from __future__ import annotations

import click

from windlass.app import Windlass
from windlass.cli.access.trail import audited
from windlass.cli.access.views import NewTokenView, TokenList
from windlass.cli.app_option import with_app
from windlass.cli.errors import require_known
from windlass.cli.output import Output, with_output
from windlass.cli.views.message import Message
from windlass.client.config import actor
from windlass.core.access.roles import Role

_name = click.argument("name", metavar="TOKEN")


@click.group()
def tokens() -> None:
    """Look at the tokens of the HTTP API, add and revoke them."""


@tokens.command("list")
@with_output
@with_app
def list_tokens(app: Windlass, *, out: Output) -> None:
    """List tokens with their roles, and when they were last used; their texts are stored nowhere."""
    out.show(TokenList(app.tokens()))


@tokens.command()
@_name
@click.option(
    "--role",
    type=click.Choice([str(role) for role in Role]),
    default=str(Role.VIEWER),
    show_default=True,
    help="What it may do.",
)
@click.option("--queues", metavar="NAME,...", help="The queues that a worker may use.")
@click.option("--expires", metavar="TIME", help="How long it opens anything: 90d; for ever by default.")
@with_output
@with_app
@audited
def add(app: Windlass, *, out: Output, name: str, role: str, queues: str | None, expires: str | None) -> None:
    """Add a token, and print its text: the only time that it is shown."""
    named = None if queues is None else [queue.strip() for queue in queues.split(",")]
    out.show(NewTokenView(app.add_token(name, role=role, queues=named, expires=expires, by=actor())))


@tokens.command()
@_name
@with_output
@with_app
@audited
def revoke(app: Windlass, *, out: Output, name: str) -> None:
    """Let a token open nothing from now on."""
    require_known("token", name, [token.name for token in app.tokens()])
    app.revoke_token(name, by=actor())
    out.show(Message(f"revoked token {name}", {"name": name, "revoked": True}))
