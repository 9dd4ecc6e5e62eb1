"""The worker program with a helper: ``python -m tests.faults.programs.warm``."""

from __future__ import annotations

import sys

from tests.faults.programs.tasks import app, say
from tests.programs import sample_helper
from windlass.worker.process.signals import run_until_signalled

if __name__ == "__main__":
    app.helper("answering", [sys.executable, "-I", "-S", sample_helper.__file__]).task("tell")
    run_until_signalled(app.worker(), on_started=lambda: say("ready"))
