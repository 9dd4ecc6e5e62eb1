"""The command line.

Files, in reading order:

- ``main``: The ``windlass`` program: all commands.
- ``lazy_commands``: Commands that are imported when they are called.
- ``find_app``: Finds and imports the app that a command is about.
- ``app_option``: ``--app``, ``--url``, ``--namespace``, ``--yes``: what commands share.
- ``filters``: ``--state``, ``--queue``, ``--task`` …: which jobs a command is about.
- ``ids``: Short ids: any unique beginning of an id is accepted.
- ``bulk``: Changes all jobs that a filter finds, after a count and a question.
- ``per_id_results``: Does one thing to several jobs, and prints the result of each.
- ``times``: Times and durations as people write and read them.
- ``output``: One answer, two forms: a table for people, JSON for programs.
- ``errors``: Exit codes and error lines: 1 a problem, 2 wrong use.
- ``logs``: Logging of commands.
- ``commands/``: One module for each command.
- ``access/``: ``windlass tokens`` and ``windlass audit``.
- ``archive/``: ``windlass archive``: jobs that retention has put aside.
- ``alerts/``: ``windlass alerts``: what fires, what fired, and the rules.
- ``diagnostics/``: Commands for when something is wrong.
- ``top/``: ``windlass top``: a live view of queues, workers, running jobs and failures.
- ``dev/``: ``windlass dev``: a worker and the API, which restart when code changes.
- ``web/``: ``windlass web``: serves the HTTP API.
- ``demo/``: ``windlass demo``: a small story on a temporary file, then a live dashboard.
- ``terminal/``: Writing to a terminal.
- ``views/``: What commands print: each view as a table for people and as JSON for programs.
"""

import io
import sys

from windlass.cli.main import run
from windlass.threads.process_end import end_process


def main() -> None:
    """The entry point of ``windlass`` and of ``python -m windlass``."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that knows only ASCII gets escapes, not a traceback.
        sys.stdout.reconfigure(errors="backslashreplace")
    end_process(run(sys.argv[1:]))
