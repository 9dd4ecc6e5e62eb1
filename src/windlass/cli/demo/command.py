"""The command ``windlass demo``."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from windlass.app import Windlass
from windlass.cli.web.command import PORT
from windlass.retention import Retention


@click.command()
@click.option("--once", is_flag=True, help="End after the story, without a dashboard; for scripts.")
@click.option(
    "--port", default=PORT, show_default=True, type=click.IntRange(0, 65535), help="Where the dashboard is served."
)
def demo(*, once: bool, port: int) -> None:
    """See it work: a story of a few seconds on a temporary file, then a live dashboard until Ctrl-C."""
    from windlass.cli.demo.screens import LiveShow, PlainShow
    from windlass.cli.demo.story import tell

    logging.getLogger("windlass").setLevel(logging.CRITICAL)  # failures are part of the demo, which shows them itself
    with TemporaryDirectory(prefix="windlass-demo-") as folder, _app(folder) as app:
        show = LiveShow() if sys.stdout.isatty() else PlainShow()
        tell(app, show)
        if not once:
            from windlass.cli.demo.dashboard import serve

            serve(app, show, port=port)


def _app(folder: str) -> Windlass:
    """A demo that is left running for days stays small."""
    kept = Retention(completed="2h", cancelled="2h", failed="1d")
    return Windlass(f"sqlite:///{Path(folder, 'jobs.db')}", retention=kept)
