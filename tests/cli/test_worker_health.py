"""``--health-port``: /healthz and /readyz of a worker, and of a parent with several. Lost stores: tests/faults."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

import pytest

from tests.cli.program import Program, Running
from tests.places.health_probe import asked
from tests.waiting import PATIENCE, eventually


@contextmanager
def serving(program: Program, *options: str) -> Iterator[tuple[Running, str]]:
    """A worker that serves its health at a port that was free, and the address."""
    with program.start("worker", "--health-port", "0", "--json", "--grace", "500ms", *options) as worker:
        address = json.loads(worker.wait_for('"health": "http'))["health"]
        yield worker, address
        worker.signal(signal.SIGTERM)
        worker.code()


def test_a_worker_that_runs_lives_and_is_ready(windlass: Program) -> None:
    """B38: nothing else is served there, and only this machine can ask."""
    with serving(windlass) as (_, address):
        assert urlsplit(address).hostname == "127.0.0.1"
        assert asked(address, "/healthz") == (200, "ok")
        assert asked(address, "/readyz?verbose") == (200, "ok")
        assert asked(address, "/readyz", "HEAD") == (200, "")
        assert asked(address, "/")[0] == 404
        assert asked(address, "/readyz", "POST")[0] == 501


def test_a_worker_that_drains_lives_but_is_not_ready(windlass: Program) -> None:
    """B38, B7."""
    windlass.app.enqueue("forever")
    with serving(windlass, "--grace", "10m") as (worker, address):
        worker.wait_for("forever")
        worker.signal(signal.SIGTERM)
        worker.wait_for("stopping")
        assert asked(address, "/readyz") == (503, "draining")
        assert asked(address, "/healthz") == (200, "ok")


def test_a_port_that_is_taken_is_refused(windlass: Program) -> None:
    with serving(windlass) as (_, address):
        port = str(urlsplit(address).port)
        assert windlass("worker", "--health-port", port).is_error(2, "cannot serve health", port, "in use")


FORKING = """
import os
import signal

from windlass import Windlass

app = Windlass()


@app.task(name="fork")
def fork() -> int:
    copy = os.fork()
    if not copy:
        signal.pause()
    return copy
"""


@pytest.mark.parametrize("parent", [[], ["--processes", "1"]], ids=["alone", "supervised"])
def test_a_process_that_outlives_the_worker_does_not_keep_its_port(windlass: Program, parent: list[str]) -> None:
    """W14: what a job forked has nothing to answer."""
    windlass.write("forking.py", FORKING)
    with serving(windlass, "-A", "forking", *parent) as (worker, address), ExitStack() as orphans:
        copy = windlass.app.enqueue("fork").result(timeout=PATIENCE)
        orphans.callback(os.kill, copy, signal.SIGKILL)
        worker.signal(signal.SIGKILL)
        worker.code()
        with serving(windlass, "--health-port", str(urlsplit(address).port)) as (_, again):
            assert again == address


def test_the_parent_answers_for_all(windlass: Program) -> None:
    """B38: healthy when all live, ready when one is ready."""
    with serving(windlass, "--processes", "2") as (worker, address):
        eventually(lambda: asked(address, "/readyz") == (200, "ok") and len(windlass.app.workers()) == 2)
        eventually(lambda: asked(address, "/healthz") == (200, "ok"))
        victim = min(view.info["pid"] for view in windlass.app.workers())
        os.kill(victim, signal.SIGKILL)
        worker.wait_for("starting another one")
        status, text = asked(address, "/healthz")
        # None where the machine keeps the other one from its beat for some seconds.
        assert (status, text[1:]) == (503, " of 2 worker processes live")
        assert text[0] in "01"
        eventually(lambda: asked(address, "/readyz") == (200, "ok"))
        eventually(lambda: asked(address, "/healthz") == (200, "ok"))
