"""``--watch``: reads a list again and again until Ctrl-C."""

from __future__ import annotations

import math
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial, wraps
from typing import Any, Protocol

import click

from windlass import clock
from windlass.app import Windlass
from windlass.cli.output import Command, HumanOutput, JsonOutput, Output, View, json_text
from windlass.cli.terminal.escape import escaped_line
from windlass.cli.terminal.screen import is_at_window, screen
from windlass.cli.terminal.window import Window, outage
from windlass.cli.times import now, second
from windlass.clock import iso
from windlass.errors import StoreUnavailable

_INTERVAL = "2"
_LEAST = 0.1
_MOST = 86_400


class Display(Output, Protocol):
    """Where a watched list is shown."""

    def show_outage(self, since: datetime, error: StoreUnavailable) -> None:
        """Show that the store has not answered since then; the last list stays."""

    def wait(self, seconds: float) -> None: ...


def seconds(context: click.Context, parameter: click.Parameter, value: str | None) -> float | None:
    """What an option says that takes a number of seconds."""
    if value is None:
        return None
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not _LEAST <= number <= _MOST:
        raise click.BadParameter(f"{value!r} is no number of seconds between {_LEAST:g} and {_MOST:,}")
    return number


def watching(command: Command) -> Command:
    """Give a read-only command ``--watch``. It comes below ``with_app``: all reads share one app."""

    @click.option(
        "--watch",
        is_flag=False,
        flag_value=_INTERVAL,
        callback=seconds,
        metavar="[SECONDS]",
        help=f"Look again every {_INTERVAL} seconds, or as many as are given, until Ctrl-C.",
    )
    @wraps(command)
    def run(app: Windlass, *, out: Output, watch: float | None, **options: Any) -> None:
        if watch is None:
            command(app, out=out, **options)
            return
        with _until_stopped(), _display(out, watch) as display:
            _read_again_and_again(partial(command, app, out=display, **options), display, watch)

    return run


def _read_again_and_again(look: Callable[[], None], display: Display, interval: float) -> None:
    """Read and show without end. A store that is away at first is an error, as without ``--watch``; later it is waited
    for.
    """
    look()
    away_since: datetime | None = None
    while True:
        display.wait(interval)
        try:
            look()
            away_since = None
        except StoreUnavailable as error:
            away_since = away_since or now()
            display.show_outage(away_since, error)


@contextmanager
def _until_stopped() -> Iterator[None]:
    """End the block quietly on Ctrl-C and SIGTERM: they are the usual end of a watch."""
    former = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, former)


@contextmanager
def _display(out: Output, interval: float) -> Iterator[Display]:
    if isinstance(out, JsonOutput):
        yield JsonLines()
    elif is_at_window():
        with Window(interval) as window:
            yield window
    else:
        yield Blocks()


class _Stream:
    """For files and pipes: every list is written below the last one; messages go to stderr."""

    def __init__(self) -> None:
        self._away_since: datetime | None = None

    def show_outage(self, since: datetime, error: StoreUnavailable) -> None:
        if self._away_since is None:
            click.echo(f"windlass: {escaped_line(outage(since, error))}", err=True)
        self._away_since = since

    def wait(self, seconds: float) -> None:
        sys.stdout.flush()
        clock.sleep(seconds)

    def _note_answer(self) -> None:
        if self._away_since is not None:
            click.echo(f"windlass: the store answers again, after an outage since {second(self._away_since)}", err=True)
        self._away_since = None


class Blocks(_Stream, HumanOutput):
    """The time, the list, an empty line."""

    def show(self, view: View) -> None:
        self._note_answer()
        shown = screen()
        shown.line(second(now()))
        view.draw(shown)
        shown.line("")


class JsonLines(_Stream, JsonOutput):
    """One JSON object a line, with the time as ``at``."""

    def show(self, view: View) -> None:
        self._note_answer()
        data = view.data()
        assert isinstance(data, dict)
        click.echo(json_text({"at": iso(now()), **data}))
