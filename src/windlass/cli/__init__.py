"""The command line."""

import io
import sys

from windlass.cli.program import run


def main() -> None:
    """The entry point of ``windlass`` and of ``python -m windlass``."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that knows only ASCII gets escapes, not a traceback.
        sys.stdout.reconfigure(errors="backslashreplace")
    sys.exit(run(sys.argv[1:]))
