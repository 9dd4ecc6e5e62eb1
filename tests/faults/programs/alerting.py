"""A worker that leads, and stands still before it delivers (``recorded``) or before it notes that it has (``sent``)."""

from __future__ import annotations

import sys
from threading import Event

from tests.faults.programs.tasks import app, say
from tests.worker.call_interceptor import intercept
from windlass.store.operation import Answer, Call
from windlass.worker.process.signals import run_until_signalled

_HELD = {"recorded": "alert_deliveries_due", "sent": "alert_settle_delivery"}


def before(call: Call) -> None:
    """For good: the test kills this process."""
    if call.name == _HELD[sys.argv[1]]:
        say("holds", call.name)
        Event().wait()


def after(call: Call, answer: Answer) -> None:
    if call.name == "alert_record" and answer.get("fired"):
        say("recorded")


if __name__ == "__main__":
    interceptor = intercept(app)
    interceptor.before.append(before)
    interceptor.after.append(after)
    run_until_signalled(app.worker())
