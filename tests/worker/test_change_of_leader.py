"""How soon schedules fire after the death of the leader: all processes' rounds, by a clock that the test moves."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import count

import pytest

from tests.ledger.apps import Apps
from windlass import Windlass
from windlass.store.operations.leases import WorkerReport, open_lease
from windlass.testing import ManualClock
from windlass.worker.duties.build import build_duties
from windlass.worker.identity import identity
from windlass.worker.ticker import Ticker

LEAD = 10.0
"""Seconds of a leader's lease."""
WORKER_LEASE = 30_000


class Process:
    """The duties of one worker that a change of leader is about; none of them has a thread."""

    def __init__(self, app: Windlass, name: str) -> None:
        report = WorkerReport(name, name, "idle", '{"queues":["default"]}')
        app.client.session.run(open_lease(report, lease=name, ttl=WORKER_LEASE))
        self.duties = build_duties(app.client, identity(), beat=10.0, lease=lambda: name)
        self.tickers = [t for t in self.duties.tickers if t.name in ("leader", "promotion", "scheduling")]

    @property
    def leads(self) -> bool:
        return self.duties.leads_since is not None


class Simulation:
    """Runs each tick when it is due, or at once where it was woken."""

    def __init__(self, clock: ManualClock) -> None:
        self._clock = clock
        self._order = count()
        self.now = 0.0
        self._due: list[tuple[float, int, Process, Ticker]] = []

    def start(self, process: Process) -> None:
        for ticker in process.tickers:
            self._plan(0.0, process, ticker)

    def kill(self, process: Process) -> None:
        self._due = sorted(event for event in self._due if event[2] is not process)

    def rounds(self) -> Iterator[tuple[Process, str]]:
        """Whose duty has just had its round, for ever."""
        while True:
            at, _, process, ticker = heappop(self._due)
            if at > self.now:
                self._clock.advance(at - self.now)
                self.now = at
            ticker.wake.clear()
            self._plan(ticker._tick(), process, ticker)
            yield process, ticker.name
            for other in process.tickers:
                if other.wake.is_set():
                    self._plan(0.0, process, other)

    def _plan(self, pause: float, process: Process, ticker: Ticker) -> None:
        self._due = [event for event in self._due if event[3] is not ticker]
        heappush(self._due, (round(self.now + pause, 3), next(self._order), process, ticker))
        self._due.sort()


@pytest.mark.only_on("sqlite")
@pytest.mark.parametrize("workers", [2, 5])
def test_jobs_start_within_three_seconds_of_the_end_of_a_dead_leaders_lease(new_app: Apps, workers: int) -> None:
    """C9, B14: it dies just after it renewed its lease. The process that fires sends its worker for the job."""
    clock = ManualClock()
    app = new_app(clock=clock)
    app.add_schedule("tick", "noop", every="1s", catch_up="skip")
    simulation = Simulation(clock)
    first, *others = [Process(app, f"w{number}") for number in range(workers)]
    for process in (first, *others):
        simulation.start(process)
    rounds = simulation.rounds()
    assert any(process is first and first.leads for process, _ in rounds)
    while simulation.now < 5 or next(rounds) != (first, "leader"):
        next(rounds)
    assert first.leads
    simulation.kill(first)
    death = simulation.now
    before = len(app.jobs())
    while len(app.jobs()) == before:
        assert simulation.now - death < 2 * LEAD, "no process fires"
        while next(rounds)[1] != "scheduling":
            pass
    assert LEAD <= simulation.now - death <= LEAD + 3
    assert any(process.leads for process in others)
