"""A worker until a signal that stands still at one moment: ``... held '["w1 claim sent", {"lease": "1s"}]'``.

It says ``reached`` there, and goes on when the file ``go-on`` is among the gates.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from pathlib import Path
from threading import Event, Lock

from tests.faults.kill_points import BEATS, MOMENTS, STEPS
from tests.faults.programs.tasks import app, say
from tests.faults.programs.worker import Said
from tests.worker.call_interceptor import intercept
from windlass.store.operation import Answer, Call
from windlass.worker.process.signals import run_until_signalled


class Held:
    """Holds up the first call of its kind, and every later one of that kind until the first may go on."""

    def __init__(self, name: str) -> None:
        self._moment = (MOMENTS | STEPS | BEATS)[name]
        self._go_on = Path(os.environ["GATES"]) / "go-on"
        self._lock = Lock()
        self._was_reached = False

    def before(self, call: Call) -> None:
        if not self._moment.is_after:
            self._strike(call, {})

    def after(self, call: Call, answer: Answer) -> None:
        if self._moment.is_after:
            self._strike(call, answer)

    def _strike(self, call: Call, answer: Answer) -> None:
        if not self._moment.is_it(call, answer):
            return
        with self._lock:
            was_reached, self._was_reached = self._was_reached, True
        if not was_reached:
            say("reached")
        pause = Event()
        while not self._go_on.exists():
            pause.wait(0.01)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, handlers=[Said()])
    name, options = json.loads(sys.argv[1])
    interceptor, held = intercept(app), Held(name)
    interceptor.before.append(held.before)
    interceptor.after.append(held.after)
    worker = app.worker(**options)
    run_until_signalled(worker, on_started=lambda: say("ready", worker.name))
    say("stopped")
