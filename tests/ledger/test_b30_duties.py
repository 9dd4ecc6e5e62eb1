"""Who does the upkeep; the command line is in tests/cli."""

from __future__ import annotations

import json
import signal
from pathlib import Path

from tests.cli.program import Program
from tests.ledger.apps import LONG_LEASE, work
from tests.places.place import Place
from tests.waiting import PATIENCE, eventually
from windlass import State, Windlass
from windlass.testing import ManualClock


def test_duties_can_be_switched_off(app: Windlass, clock: ManualClock) -> None:
    """B30: such a worker runs what is ready, and leaves promoting and rescuing to others."""

    @app.task
    def noop() -> int:
        return 1

    delayed, claimed = noop.options(delay="1m").enqueue(), noop.enqueue()
    app.claim(lease="1m")
    clock.advance("2m")
    with app.worker(duties=False, lease=LONG_LEASE):
        assert noop.enqueue().result(timeout=PATIENCE) == 1
        assert (delayed.refresh().state, claimed.refresh().state) == (State.SCHEDULED, State.RUNNING)
        app.promote()
        app.rescue()
        assert (delayed.result(timeout=PATIENCE), claimed.result(timeout=PATIENCE)) == (1, 1)


def test_a_worker_does_them_for_queues_it_does_not_serve(app: Windlass, clock: ManualClock) -> None:
    """B30: upkeep is for all, so that any one worker keeps the store moving."""

    @app.task
    def noop() -> None: ...

    delayed, claimed = noop.options(delay="1m").enqueue(), noop.enqueue()
    app.claim(lease="1m")
    clock.advance("2m")
    with app.worker(queues=["elsewhere"], lease=LONG_LEASE):
        eventually(lambda: delayed.refresh().state == claimed.refresh().state == "pending", "both are ready again")


def test_any_number_may_do_them_at_once(app: Windlass, clock: ManualClock) -> None:
    """B30: a job is promoted once, and runs once."""
    runs: list[int] = []

    @app.task
    def note() -> None:
        runs.append(1)

    note.options(delay="1m").enqueue_many([()] * 50)
    clock.advance("1m")
    with app.worker(lease=LONG_LEASE), app.worker(lease=LONG_LEASE), app.worker(lease=LONG_LEASE):
        app.promote()
        eventually(lambda: len(runs) >= 50, "all have run")
    work(app)
    assert len(runs) == 50


def test_the_server_of_the_api_does_them_too(place: Place, app: Windlass, tmp_path: Path) -> None:
    """B30: it is listed as a process that runs no jobs, and leaves the list when it is stopped."""
    program = Program(tmp_path, place)
    program.app.close()
    with program.start("web", "--url", place.url, "--namespace", place.namespace, "--port", "0", "--json") as server:
        assert json.loads(server.wait_for('"address"'))["duties"] is True
        with Windlass(place.url, namespace=place.namespace) as other:  # by the clock of the machine
            [job] = other.enqueue_many([other.request("greet", delay=0.1)])
            eventually(lambda: job.refresh().state == "pending", "the job was promoted")
            assert [worker.runs_jobs for worker in other.workers()] == [False]
            server.signal(signal.SIGTERM)
            assert server.code() == 0
            assert other.workers() == []
