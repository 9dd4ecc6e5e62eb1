"""``windlass flows``: jobs that belong together."""

from __future__ import annotations

import click

from windlass.app import Windlass
from windlass.cli.app_option import with_app
from windlass.cli.ids import whole_id
from windlass.cli.output import Output, with_output
from windlass.cli.terminal.watch import watching
from windlass.cli.views.flows.tree import FlowTree


@click.group()
def flows() -> None:
    """Look at jobs that wait for each other."""


@flows.command()
@click.argument("id", metavar="ID")
@click.option("--mermaid", is_flag=True, help="Print Mermaid text, which many documents and chats draw.")
@with_output
@with_app
@watching
def show(app: Windlass, *, out: Output, id: str, mermaid: bool) -> None:
    """Show all jobs that hang together with one, as a tree: those that wait below those that they wait for."""
    graph = app.job(whole_id(app, id)).flow()
    if mermaid:
        click.echo(graph.mermaid())
    else:
        out.show(FlowTree(graph))
