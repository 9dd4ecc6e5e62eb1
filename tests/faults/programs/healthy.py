"""A worker until a signal that serves its health."""

from __future__ import annotations

import json
import sys

from tests.faults.programs.tasks import app, say
from windlass.worker.process.health import HealthServer
from windlass.worker.process.signals import run_until_signalled

if __name__ == "__main__":
    worker = app.worker(**json.loads(sys.argv[1]))
    liveness = worker.liveness
    with HealthServer(
        host="127.0.0.1",
        port=0,
        liveness_problem=liveness.liveness_problem,
        readiness_problem=liveness.readiness_problem,
    ) as server:
        say("health", server.address)
        run_until_signalled(worker, on_started=lambda: say("ready"))
