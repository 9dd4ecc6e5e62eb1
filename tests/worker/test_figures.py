"""What people see of a worker: figures that are no older than two seconds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.ledger.apps import gate
from tests.waiting import eventually
from tests.worker.call_interceptor import CallInterceptor
from windlass import Windlass
from windlass.worker.lease.heartbeat import Heartbeat, HeartbeatTimes
from windlass.worker.recent_jobs import RecentJobs
from windlass.worker.status import Figures, StatusReporter
from windlass.worker.worker import Worker

pytestmark = pytest.mark.only_on("sqlite")

SELDOM: dict[str, Any] = {"lease": "1h", "heartbeat": "20m"}
"""For a worker whose heartbeats show nothing while the test lasts."""


def info(app: Windlass) -> dict[str, Any]:
    [worker] = app.workers()
    return worker.info


class Rounds:
    """The heartbeat of a worker that has not started, with rounds that a test makes, by a clock of its own.

    The process uses the same memory and no processor all the time.
    """

    def __init__(self, worker: Worker) -> None:
        parts, shown = worker._heartbeat, worker._status
        self.now = 1000.0
        self.heartbeat = Heartbeat(
            session=parts._session,
            control=parts._control,
            status_reporter=StatusReporter(
                identity=shown.identity,
                shares=shown.shares,
                allows_commands=False,
                has_duties=True,
                dispatcher=worker._dispatcher,
                pump=worker._pump,
                written=shown._written,
                recent=RecentJobs(),
                unknown_tasks=shown._unknown_tasks,
                memory=lambda: 2**20,
                processor=lambda: 1.0,
            ),
            skew=parts._skew,
            new_lease=lambda: "a-lease",
            beats=HeartbeatTimes(ttl=3600, interval=1200, failures_allowed=3),
            monotonic=lambda: self.now,
        )

    def go_on(self, seconds: float, *, then: Callable[[], None] = lambda: None) -> None:
        """Make all rounds of that time, and something after each."""
        until = self.now + seconds
        while self.now < until:
            self.now += self.heartbeat.tick()
            then()


def test_a_run_is_seen_long_before_the_next_heartbeat(app: Windlass) -> None:
    """B9: how many run and which, how many have ended and failed."""
    with gate() as running:

        @app.task(name="wait")
        def wait() -> None:
            running.wait()
            raise ValueError

        with app.worker(**SELDOM):
            job = wait.options(attempts=1).enqueue()
            running.await_entered()
            eventually(lambda: info(app)["running_count"] == 1, "it is seen to run")
            assert info(app)["running"] == [{"id": job.id, "task": "wait"}]
            running.open()
            eventually(lambda: info(app)["ended"] == 1, "it is seen to have ended")
            assert (info(app)["failed"], info(app)["running_count"]) == (1, 0)
            eventually(lambda: app.workers()[0].state == "idle", "the worker is seen to rest")


def test_figures_that_change_are_shown_every_two_seconds_and_others_are_not(
    app: Windlass, interceptor: CallInterceptor
) -> None:
    """B9: a worker that is always at work writes them at most so often, and one at rest not at all."""
    worker, calls = app.worker(["default"]), interceptor.calls
    rounds, ended = Rounds(worker), 0

    def end_a_run() -> None:
        worker._dispatcher.ended_count += 1

    def see_it() -> None:
        nonlocal ended
        end_a_run()
        told = info(app)["ended"]
        # Within four rounds of half a second, what has ended is seen.
        assert worker._dispatcher.ended_count - told <= 4
        ended = told

    rounds.go_on(60, then=see_it)
    assert ended > 100
    assert 30 <= calls["report_worker"] <= 41
    rounds.go_on(2)
    shown = calls["report_worker"]
    rounds.go_on(600)
    assert (calls["report_worker"], calls["renew"], calls["open_lease"]) == (shown, 0, 1)


@pytest.mark.parametrize(
    ("memory", "cpu", "work", "expected"),
    [
        (100, 50.0, (1,), False),
        (104, 41.0, (1,), False),
        (106, 50.0, (1,), True),
        (94, 50.0, (1,), True),
        (100, 39.0, (1,), True),
        (100, 50.0, (2,), True),
    ],
)
def test_memory_and_processor_time_may_differ_a_little(
    memory: int, cpu: float, work: tuple[object, ...], expected: bool
) -> None:
    shown = Figures((1,), 100, 50.0)
    assert Figures(work, memory, cpu).differ_from(shown) is expected
