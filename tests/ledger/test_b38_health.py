"""B38: ``/healthz`` and ``/readyz`` of workers and the API. Lost leases are in tests/faults, options in tests/cli."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import pytest

from tests.cli.program import Program, Running
from tests.faults.proxy import Proxy
from tests.leeway import leeway
from tests.places.health_probe import asked
from tests.places.place import Place, ServerPlace
from tests.waiting import PATIENCE, eventually

TOLD = 5.0
BACK = 10.0
"""Seconds after a loss, and after the store's return, within which it is told."""

OPTIONS = ["--grace", "1h", "--lease", "5s"]
JOBS = """
import asyncio

from windlass import Windlass
from windlass.worker.shutdown import ShutdownTimes

app = Windlass(namespace="{namespace}")  # the store comes from the environment
app._shutdown_times = ShutdownTimes(last_writes=10.0, last_call=10.0)


@app.task(name="answer")
def answer() -> int:
    return 42


@app.task(name="forever")
async def forever() -> None:
    print("forever", flush=True)
    await asyncio.Event().wait()
"""


@contextmanager
def program_at(place: Place, folder: Path) -> Iterator[Program]:
    program = Program(folder, place)
    program.write("jobs.py", JOBS.format(namespace=place.namespace))
    yield program
    program.app.close(wait=False)


@contextmanager
def ready_worker(program: Program, *options: str) -> Iterator[tuple[Running, str]]:
    """A worker that is ready, and where to ask it."""
    with program.start("worker", "--health-port", "0", "--json", *options) as worker:
        address = json.loads(worker.wait_for('"health": "http'))["health"]
        eventually(lambda: asked(address, "/readyz") == (200, "ok"), "it is ready")
        yield worker, address


@pytest.mark.only_on("sqlite")
@pytest.mark.parametrize("parent", [[], ["--processes", "2"]], ids=["alone", "supervised"])
def test_a_worker_lives_and_is_ready_until_it_drains(place: Place, tmp_path: Path, parent: list[str]) -> None:
    """B38: one that finishes what runs gets no more, but must not be killed as dead."""
    with program_at(place, tmp_path) as program, ready_worker(program, *OPTIONS, *parent) as (worker, address):
        eventually(lambda: asked(address, "/healthz") == (200, "ok"), "all of it lives")
        job = program.app.enqueue("forever")
        worker.wait_for("forever")
        worker.signal(signal.SIGTERM)
        eventually(lambda: asked(address, "/readyz") == (503, "draining"), "it says so")
        if not parent:  # a parent has one process less when the idle one has left
            assert asked(address, "/healthz") == (200, "ok")
        worker.signal(signal.SIGTERM)
        code = worker.code()  # the second signal ends the grace time
        if not parent:
            assert (code, job.refresh().state, job.attempt) == (0, "pending", 0)
            return
        # A parent kills after two seconds what a busy machine has not let hand its job back; then a rescue does.
        eventually(lambda: program.app.rescue() is not None and job.refresh().state == "pending", "it is back")


@pytest.mark.only_on("postgres", "redis")
@pytest.mark.parametrize(
    ("lose", "parent"),
    [
        pytest.param(Proxy.refuse, [], id="refused"),
        pytest.param(Proxy.swallow, [], id="swallowed"),
        # A parent asks its processes, whatever their store is.
        pytest.param(
            Proxy.swallow, ["--processes", "2"], id="swallowed and supervised", marks=pytest.mark.only_on("redis")
        ),
    ],
)
def test_readiness_follows_the_store(
    far: ServerPlace, proxy: Proxy, tmp_path: Path, lose: Callable[[Proxy], None], parent: list[str]
) -> None:
    """B38: false within 5 s of the loss, true within 10 s of the return; the process lives all the time."""
    with program_at(far, tmp_path) as program, ready_worker(program, *parent) as (_, address):
        eventually(lambda: asked(address, "/healthz") == (200, "ok"), "all of it lives")
        lose(proxy)
        lost = monotonic()
        eventually(lambda: asked(address, "/readyz")[0] == 503, "the loss is told")
        assert monotonic() - lost < leeway(TOLD)
        assert asked(address, "/healthz") == (200, "ok")
        proxy.restore()
        back = monotonic()
        eventually(lambda: asked(address, "/readyz") == (200, "ok"), "the return is told")
        assert monotonic() - back < leeway(BACK)
        assert asked(address, "/healthz") == (200, "ok")
        assert program.app.enqueue("answer").result(timeout=PATIENCE) == 42


@pytest.mark.only_on("postgres", "redis")
def test_readiness_of_the_api_follows_the_store(far: ServerPlace, proxy: Proxy, tmp_path: Path) -> None:
    """B38: false within 5 s of the loss, true within 10 s of the return; the process lives all the time."""
    with program_at(far, tmp_path) as program, program.start("web", "--port", "0", "--json") as server:
        address = json.loads(server.wait_for('"address"'))["address"]
        program.app.migrate()
        assert asked(address, "/readyz") == (200, "ok")
        proxy.swallow()
        lost = monotonic()
        eventually(lambda: asked(address, "/readyz")[0] == 503, "the loss is told")
        assert monotonic() - lost < leeway(TOLD)
        assert asked(address, "/healthz") == (200, "ok")
        proxy.restore()
        back = monotonic()
        eventually(lambda: asked(address, "/readyz") == (200, "ok"), "the return is told")
        assert monotonic() - back < leeway(BACK)
        server.signal(signal.SIGTERM)
        assert server.code() == 0
