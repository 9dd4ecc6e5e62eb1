"""Tasks that do what no task should, and a worker for them until a signal: ``python -m ... '{"concurrency": 2}'``."""

from __future__ import annotations

import json
import logging
import sys
import time

from tests.faults.programs.tasks import app, say
from tests.faults.programs.worker import Said
from tests.worker.odd_exceptions import ODD, unstorable
from windlass.worker.process.signals import run_until_signalled


@app.task(name="raises")
def raises(name: str) -> None:
    raise ODD[name]


@app.task(name="araises")
async def araises(name: str) -> None:
    raise ODD[name]


@app.task(name="gives")
def gives(what: str) -> object:
    """Returns what cannot be stored."""
    return unstorable()[what]


@app.task(name="blocks")
async def blocks(seconds: float) -> None:
    """Keeps the event loop from turning."""
    time.sleep(seconds)  # noqa: ASYNC251  # that is what it is for


@app.task(name="spreads")
def spreads(count: int) -> None:
    """One job becomes many, which nobody here serves."""
    app.enqueue_many([app.request("leaf", (number,), queue="leaves") for number in range(count)])


@app.task(name="leaf")
def leaf(number: int) -> int:
    return number


@app.task(name="follows")
def follows(left: int) -> int:
    """Each job enqueues the next."""
    if left:
        app.enqueue_many([app.request("follows", (left - 1,), id=f"link-{left - 1}")])
    return left


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, handlers=[Said()])
    worker = app.worker(**json.loads(sys.argv[1]))
    run_until_signalled(worker, on_started=lambda: say("ready", worker.name))
    say("stopped")
