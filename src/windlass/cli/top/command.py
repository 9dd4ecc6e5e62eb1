"""``windlass top``: the options, and which of the two forms is shown."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import click

from windlass.app import Windlass
from windlass.cli.app_option import with_app
from windlass.cli.output import JsonOutput, Output, with_output
from windlass.cli.terminal.screen import Screen, is_at_window
from windlass.cli.terminal.watch import seconds
from windlass.cli.top.frame import snapshot_lines
from windlass.cli.top.session import TopSession
from windlass.cli.top.snapshot import Section, Snapshot, look
from windlass.cli.top.terminal import TopTerminal


@dataclass(frozen=True, slots=True)
class Once:
    """All sections below each other."""

    snapshot: Snapshot

    def data(self) -> object:
        return self.snapshot.data()

    def draw(self, screen: Screen) -> None:
        for one in snapshot_lines(self.snapshot, screen.width):
            screen.line(*one)


@click.command()
@click.option(
    "--interval",
    default="2",
    show_default=True,
    callback=seconds,
    metavar="SECONDS",
    help="How often the store is read.",
)
@click.option("--once", is_flag=True, help="Print everything once, and exit.")
@with_output
@with_app
def top(app: Windlass, *, out: Output, interval: float, once: bool) -> None:
    """Watch queues, workers, running jobs and failures, live.

    Keys: 1-4 sections, s sort, enter open, p pause a queue, space hold the picture, ? help, q quit. Without a terminal,
    and with --json, everything is printed once.
    """
    if once or isinstance(out, JsonOutput) or not (sys.stdin.isatty() and is_at_window()):
        out.show(Once(look(app, *Section)))
        return
    with TopTerminal() as terminal:
        TopSession(app, interval=interval, terminal=terminal).run()
