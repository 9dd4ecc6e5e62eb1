"""Hosts whose clock is wrong, and who says so; steps of the server's clock are in tests/faults."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from tests.cli.program import Program
from tests.faults.clockshim import HOUR, Clocks, shifted_clocks
from tests.ledger.apps import Apps, gate, raises
from tests.places.place import Place
from tests.waiting import PATIENCE, eventually
from windlass import Job, State, Windlass
from windlass.store.driver import Topic
from windlass.store.operations import queries

pytestmark = pytest.mark.only_on("postgres", "redis")

LEASE = 1.0
LATE = 2_000
"""Milliseconds by which a due job may start late: we promise one second, and the test shares its machine."""

JOBS = """
import time
from windlass import Windlass

app = Windlass(namespace={namespace!r})


@app.task(name="listen", queue="wrong")
def listen(pipe: str) -> str:
    print("listening", flush=True)
    with open(pipe) as said:
        return said.read()


@app.task(name="clock", queue="wrong")
def clock() -> float:
    return time.time()


@app.task(name="later", queue="wrong")
def later(seconds: float) -> str:
    return clock.options(delay=seconds).enqueue().id
"""


@pytest.fixture(scope="module")
def clocks() -> Iterator[Clocks]:
    with shifted_clocks() as made:
        yield made


@pytest.fixture
def app(place: Place) -> Iterator[Windlass]:
    """On a host whose clock is right."""
    with Apps(place) as apps:
        yield apps()


@pytest.fixture
def windlass(place: Place, tmp_path: Path) -> Iterator[Program]:
    program = Program(tmp_path, place)
    program.write("jobs.py", JOBS.format(namespace=place.namespace))
    yield program
    program.app.close()


def scheduled(app: Windlass) -> list[Job[float]]:
    """Jobs for the wrong host: by a delay, by an instant of the right clock, and by a delay of the wrong host's own."""
    jobs = app.enqueue_many(
        [
            app.request("clock", queue="wrong", delay=2 * LEASE),
            app.request("clock", queue="wrong", at=datetime.now(UTC) + timedelta(seconds=2 * LEASE)),
        ]
    )
    [later] = app.enqueue_many([app.request("later", (2 * LEASE,), queue="wrong")])
    return [*jobs, app.job(later.result(timeout=PATIENCE))]


def assert_punctual(job: Job[float]) -> None:
    """It waited for two lengths of a lease, and was taken when it was due or a little later."""
    record = job.refresh().record
    assert record.claimed_at is not None
    assert record.run_at is not None
    assert 0 <= record.claimed_at - record.run_at < LATE
    # An instant counts from before the call, and both clocks are read to the millisecond.
    assert 2_000 * LEASE - LATE < record.run_at - record.created_at <= 2_000 * LEASE + 1


@pytest.mark.varied_on("sqlite")
@pytest.mark.parametrize("off", [HOUR, -HOUR, 10], ids=["ahead", "behind", "a little ahead"])
def test_a_host_with_another_time_neither_loses_leases_nor_steals_jobs_nor_runs_them_early_or_late(
    app: Windlass, windlass: Program, clocks: Clocks, off: int
) -> None:
    """E7, T1: two workers beside each other, one of them on such a host."""
    clock = clocks()
    clock.step_to(off)
    pipe = windlass.folder / "pipe"
    os.mkfifo(pipe)
    with gate() as held, app.worker(["right"], lease=LEASE):
        app.task(name="wait", queue="right")(held.wait)
        with windlass.start("worker", "-q", "wrong", "--lease", f"{LEASE}s", **clock.environment) as worker:
            theirs, ours = app.enqueue_many(
                [app.request("listen", (str(pipe),), queue="wrong"), app.request("wait", queue="right")]
            )
            held.await_entered()
            worker.wait_for("listening")
            in_time = scheduled(app)
            # Both workers have lived for longer than a lease when these have run.
            for job in in_time:
                assert abs(job.result(timeout=PATIENCE) - datetime.now(UTC).timestamp() - off) < 9, "nothing is proved"
                assert_punctual(job)
            held.open()
            pipe.write_text("said")
            assert (theirs.result(timeout=PATIENCE), ours.result(timeout=PATIENCE)) == ("said", None)
    for job in (theirs.refresh(), ours.refresh()):
        assert (job.state, job.attempt, job.record.crashes, raises(job.fence)) == (State.COMPLETED, 1, 0, 1)
        assert not {"rescued", "refused"} & {entry.kind for entry in job.timeline()}


def skews(app: Windlass) -> list[float]:
    """What was written down of them, the oldest first: how many seconds a worker was ahead."""
    found = [event.detail or "" for event in app.client.session.run(queries.notices()) if event.kind == "skewed"]
    return [msgspec.json.decode(detail)["seconds"] for detail in reversed(found)]


def test_a_skew_over_5_s_warns_at_every_change_and_only_then(app: Windlass, windlass: Program, clocks: Clocks) -> None:
    """E7, T1: in the worker's log, and in the store for those who look later."""
    clock = clocks()

    def step_to(seconds: int) -> None:
        clock.step_to(seconds)
        app.client.session.notify(Topic.CONTROL)  # a worker at rest asks the store only every five seconds by itself

    clock.step_to(4)
    with windlass.start("worker", "-q", "wrong", **clock.environment) as worker:
        eventually(lambda: app.workers(), "it has begun")
        step_to(HOUR)
        worker.wait_for("s ahead of the store's")
        app.enqueue_many([app.request("clock", queue="wrong")])[0].result(timeout=PATIENCE)
        step_to(-20)
        worker.wait_for("s behind the store's")
        step_to(0)
        worker.wait_for("agree again")
        step_to(10)
        worker.wait_for("s ahead of the store's")
        eventually(lambda: len(skews(app)) == 3, "each is written down")
    assert skews(app) == [pytest.approx(seconds, abs=3) for seconds in (HOUR, -20, 10)]
    assert sum("the store's: leases" in line for line in worker.shown) == 3
