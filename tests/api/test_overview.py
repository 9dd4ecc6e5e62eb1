"""What needs a hand: every problem in the situation that it is about."""

from __future__ import annotations

from tests.waiting import eventually
from windlass import Windlass
from windlass.store.operations.cycle import Claimant, cycle
from windlass.store.operations.leases import WorkerReport, open_lease
from windlass.store.operations.upkeep import leader
from windlass.testing import ManualClock

NO_WORKER = "no worker is alive"
ANYBODY = "start a worker or `windlass duties`"
WITH_DUTIES = "start `windlass duties`, or a worker without --no-duties"


def open_worker(app: Windlass, name: str, info: str = '{"queues":["default"]}', *, ttl: int = 30_000) -> None:
    app.client.session.run(open_lease(WorkerReport(name, name, "idle", info), lease=f"lease-{name}", ttl=ttl))


def die_with_a_job(app: Windlass, name: str = "alpha") -> None:
    """A worker takes a job and is not heard of again."""
    app.enqueue("noop")
    open_worker(app, name)
    claimant = Claimant(name, f"lease-{name}", f"token-{name}")
    app.client.session.run(cycle(claimant, endings=[], marks=[], requests=[("default", 1)], takes_suspect=True))


def test_jobs_of_a_worker_that_died_with_nobody_to_rescue_them(app: Windlass, clock: ManualClock) -> None:
    die_with_a_job(app)
    assert app.overview().problems == []
    clock.advance("35s")
    assert app.overview().problems == [
        NO_WORKER,
        f"jobs of a worker that died have waited for 0:00:05 to be rescued; {ANYBODY}",
    ]
    app.rescue()
    assert NO_WORKER in app.overview().problems
    assert app.overview().unrescued is None


def test_a_rescue_that_is_late(app: Windlass, clock: ManualClock) -> None:
    """Although a worker is alive that should have made it: it has a minute for that."""
    die_with_a_job(app)
    clock.advance("35s")
    open_worker(app, "beta", ttl=600_000)
    assert app.overview().problems == []
    clock.advance("60s")
    assert app.overview().problems == [f"jobs of a worker that died have waited for 0:01:05 to be rescued; {ANYBODY}"]


def test_a_promotion_that_is_late(app: Windlass, clock: ManualClock) -> None:
    app.tasks[0].options(delay="10s").enqueue()
    open_worker(app, "alpha", ttl=600_000)
    clock.advance("40s")
    assert app.overview().problems == []
    clock.advance("60s")
    assert app.overview().problems == [f"jobs that are due have waited for 0:01:30 to be promoted; {ANYBODY}"]


def test_workers_without_duties_leave_upkeep_to_others(app: Windlass, clock: ManualClock) -> None:
    app.tasks[0].options(delay="10s", queue="other").enqueue()
    with app.worker(["other"], duties=False, heartbeat="50ms"):
        whose = "no process promotes jobs that are due or rescues those of workers that die"
        assert app.overview().problems == [f"{whose}: the only worker that runs has no duties; {WITH_DUTIES}"]
        with app.worker(["other"], duties=False, heartbeat="50ms"):
            assert app.overview().problems == [f"{whose}: none of the 2 workers has duties; {WITH_DUTIES}"]
        clock.advance("15s")
        eventually(lambda: len(app.overview().problems) == 2, "what is due already is told at once")
        assert app.overview().problems[1] == f"jobs that are due have waited for 0:00:05 to be promoted; {WITH_DUTIES}"
        app.client.session.run(leader.take_lead("leader", holder="windlass duties", ttl=10_000))
        assert app.overview().problems == []


def test_a_worker_of_an_older_version_is_taken_for_one_with_duties(app: Windlass) -> None:
    open_worker(app, "alpha")
    assert app.overview().problems == []
    open_worker(app, "beta", '{"queues":["default"],"duties":false}')
    assert app.overview().problems == []


def test_commands_that_no_worker_allows(app: Windlass) -> None:
    app.enqueue(app.command(["true"]))
    with app.worker(heartbeat="50ms") as worker:
        eventually(lambda: app.overview().problems, "the next heartbeat tells")
        assert app.overview().problems == [
            f"jobs that are commands wait: worker {worker.name} met some and allows none; start one with "
            "--allow-commands"
        ]
