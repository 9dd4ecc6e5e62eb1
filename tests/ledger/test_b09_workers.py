"""What a worker shows of itself, while it lives and after it was lost."""

from __future__ import annotations

import os
import platform
import socket
from threading import Thread

from tests.ledger.apps import LONG_LEASE, Apps, gate
from tests.waiting import PATIENCE, eventually
from tests.worker.call_interceptor import intercept
from windlass import Cancel, Snooze, State, Windlass
from windlass.store.operation import Call
from windlass.store.operations.cycle import Claimant, cycle
from windlass.store.operations.leases import WorkerReport, open_lease
from windlass.testing import ManualClock
from windlass.version import VERSION

HOUR = 3_600_000


def test_a_worker_shows_what_it_is_and_does(app: Windlass) -> None:
    """B9: state, current jobs, counts, host, pid, memory, CPU, uptime, versions."""
    with gate() as busy:

        @app.task(name="slow")
        def slow() -> None:
            busy.wait()

        with app.worker(lease=LONG_LEASE, heartbeat="50ms", concurrency=3, grace=0):
            job = slow.enqueue()
            busy.await_entered()
            eventually(lambda: app.workers()[0].state == "busy", "the next heartbeat tells")
            [view] = app.workers()
            info = view.info
            assert (info["host"], info["pid"]) == (socket.gethostname(), os.getpid())
            assert (info["python"], info["version"]) == (platform.python_version(), VERSION)
            assert (info["queues"], info["concurrency"]) == (["default"], 3)
            assert info["running"] == [{"id": job.id, "task": "slow"}]
            assert (info["running_count"], info["ended"], info["refused"], info["abandoned"]) == (1, 0, 0, 0)
            assert info["memory"] > 1_000_000
            assert info["cpu"] >= 0
            assert info["uptime"] >= 0


def test_a_worker_shows_its_state(app: Windlass, new_app: Apps) -> None:
    """B9: starting, idle, busy, paused and draining, each soon after it came; lost is below."""
    operator = new_app()
    at_first: list[str] = []

    def look(call: Call, answer: object) -> None:
        if call.name == "open_lease":
            at_first.extend(view.state for view in operator.workers())

    def shows(state: str) -> None:
        eventually(lambda: [view.state for view in operator.workers()] == [state], f"it shows that it is {state}")

    intercept(app).after.append(look)
    with gate() as busy:

        @app.task(name="slow")
        def slow() -> None:
            busy.wait()

        with app.worker(lease=LONG_LEASE, heartbeat="50ms") as worker:
            assert at_first == ["starting"]
            shows("idle")
            worker.pause()
            shows("paused")
            worker.resume()
            shows("idle")
            operator.enqueue("slow")
            shows("busy")
            stopping = Thread(target=worker.stop)
            stopping.start()
            shows("draining")
            busy.open()
            stopping.join(PATIENCE)
    assert operator.workers() == []


def test_a_worker_shows_its_last_twenty_jobs(app: Windlass) -> None:
    """B9: the newest first, with how each ended."""

    @app.task(name="quick")
    def quick(number: int) -> None:
        if number == 24:
            raise ValueError("no")

    with app.worker(lease=LONG_LEASE, heartbeat="50ms", concurrency=1):
        jobs = [quick.options(attempts=1).enqueue(number) for number in range(25)]
        eventually(lambda: jobs[-1].id in str(app.workers()[0].info["last"]), "the next heartbeat tells")
        last = app.workers()[0].info["last"]
    assert [shown["id"] for shown in last] == [job.id for job in reversed(jobs[5:])]
    assert [shown["state"] for shown in last] == ["failed"] + ["completed"] * 19
    assert {shown["task"] for shown in last} == {"quick"}
    assert all(shown["ran_for"] >= 0 for shown in last)


def test_a_worker_shows_how_many_of_its_runs_failed(app: Windlass) -> None:
    """B9: runs that left an error, whether their jobs run again or not; what is snoozed or cancelled has not failed."""

    @app.task(name="odd")
    def odd(number: int) -> None:
        if number % 2:
            raise ValueError("odd")
        if number == 2:
            raise Snooze("1h")
        if number == 4:
            raise Cancel

    for number in range(6):
        odd.options(attempts=1 + number % 3).enqueue(number)
    with app.worker(lease=LONG_LEASE, heartbeat="50ms", duties=False) as worker:
        eventually(lambda: app.workers()[0].info["ended"] == 6, "the next heartbeat tells")
        assert app.workers()[0].info["failed"] == 3
        assert (worker.status().ended, worker.status().failed) == (6, 3)
    assert app.counts()[State.FAILED] == 1


def test_a_clean_stop_disappears_at_once(app: Windlass) -> None:
    """B9."""
    with app.worker(["default"]):
        assert len(app.workers()) == 1
    assert app.workers() == []


def test_a_lost_worker_shows_for_a_day_what_was_taken_from_it(app: Windlass, clock: ManualClock) -> None:
    """B9: the jobs, where they went, when, and who took them."""
    job = app.enqueue("somewhere.else")
    for operation in (
        open_lease(WorkerReport("instance", "dead-worker-1", "idle", "{}"), lease="its lease", ttl=HOUR),
        cycle(Claimant("dead-worker-1", "its lease", "token"), requests=[("default", 1)]),
    ):
        app.client.session.run(operation)
    assert [(view.state, view.taken) for view in app.workers()] == [("idle", ())]
    clock.advance("1h")
    app.rescue()
    [view] = app.workers()
    assert (view.name, view.state) == ("dead-worker-1", "lost")
    [taken] = view.taken
    assert (taken.id, taken.state, taken.at) == (job.id, State.PENDING, clock.now())
    clock.advance("22h")
    app.clean()
    assert app.workers() == [view]
    assert app.overview().workers == [view]
    clock.advance("2h")
    app.clean()
    assert app.workers() == []
