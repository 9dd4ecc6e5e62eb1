"""Every measurement, with numbers so small that they mean nothing: on SQLite, and on every store where it is about the
store's server.

The measurements check by themselves that what they time has happened: all jobs there, all of them run, each once.
"""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from benchmarks.contender import Contender
from benchmarks.measurements.sustained import keep_at_most
from benchmarks.pages.browser import CHROMIUM
from benchmarks.place import Place
from benchmarks.registry import MEASUREMENTS
from benchmarks.rounds import Rounds
from benchmarks.scale import SMOKE
from benchmarks.stores import STORES
from benchmarks.subject import Subject
from tests.benchmarks.conftest import ServerOf
from windlass import State

_OF_SERVERS = {"server_cpu_us_per_job", "server_cpu_percent"}
_OF_BROWSERS = {"few_paint_ms", "many_paint_ms"}


_ON_SERVERS = {"drain-async", "rest"}
"""What needs a server's process: its CPU time for a job, and at rest. The others know nothing of the store below."""
_CASES = [
    (store, measurement)
    for store in STORES
    for measurement in MEASUREMENTS
    if store == "sqlite" or measurement in _ON_SERVERS
]


@pytest.mark.parametrize(("store", "measurement"), _CASES)
def test_a_measurement_gives_all_its_lines(store: str, measurement: str, server_of: ServerOf, tmp_path: Path) -> None:
    told: list[str] = []
    rounds = Rounds(folder=tmp_path, servers={store: server_of(store)}, scale=SMOKE, rounds=1, tell=told.append)
    ours = Contender(title="ours", store=store, variant=STORES[store].variants[0])
    for needed in MEASUREMENTS[measurement].needs:
        rounds.results.add(needed, ours, {"jobs_per_second": 1_000.0})

    rounds.run(MEASUREMENTS[measurement], [ours], {})

    assert rounds.results.failures == [], "\n".join(told)
    has_server = server_of(store).pid is not None
    for line in MEASUREMENTS[measurement].lines:
        found = rounds.results.summary(measurement, ours, line.figure)
        if (line.figure in _OF_SERVERS and not has_server) or (line.figure in _OF_BROWSERS and CHROMIUM is None):
            assert found is None
        else:
            # Processes that did little may have used no CPU time that the system noticed.
            assert found is not None
            assert math.isfinite(found.median)
            assert found.median > 0 or line.unit in ("%", "µs")


def test_only_a_store_with_a_server_has_one(server_of: ServerOf) -> None:
    assert server_of("sqlite").address == ""
    assert server_of("postgres").address.startswith("postgres")
    assert server_of("redis").address.startswith("redis")


def test_a_long_run_bounds_what_its_worker_process_keeps(tmp_path: Path) -> None:
    """Else it would only measure how the store grows."""
    place = Place(f"sqlite:///{tmp_path}/jobs.db")
    subject, worker = Subject(place), Subject(place)
    subject.preload(10)
    worker.app.worker().run_until_empty()
    keep_at_most(subject.app, 7)
    worker.app.clean()
    assert subject.app.counts()[State.COMPLETED] == 7
    subject.app.close()
    worker.app.close()
