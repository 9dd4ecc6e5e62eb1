"""The command ``windlass demo``."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from windlass.app import Windlass


@click.command()
def demo() -> None:
    """See it work: a story of a few seconds on a temporary file."""
    from windlass.cli.demo.screens import LiveShow, PlainShow
    from windlass.cli.demo.story import tell

    logging.getLogger("windlass").setLevel(logging.CRITICAL)  # failures are part of the demo, which shows them itself
    with TemporaryDirectory(prefix="windlass-demo-") as folder, Windlass(f"sqlite:///{Path(folder, 'jobs.db')}") as app:
        tell(app, LiveShow() if sys.stdout.isatty() else PlainShow())
