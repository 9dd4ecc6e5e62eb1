"""A worker until a signal: ``python -m tests.faults.programs.worker '{"lease": "1s"}'``."""

from __future__ import annotations

import json
import logging
import sys

from tests.faults.programs.tasks import app, say
from windlass.worker.process.signals import run_until_signalled


class Said(logging.Handler):
    """Passes the worker's own log on to the test."""

    def emit(self, record: logging.LogRecord) -> None:
        say("log", record.getMessage())


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, handlers=[Said()])
    worker = app.worker(**json.loads(sys.argv[1]))
    run_until_signalled(worker, on_started=lambda: say("ready", worker.name))
    say("stopped")
