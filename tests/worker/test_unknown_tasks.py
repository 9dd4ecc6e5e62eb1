"""Jobs that this worker cannot run: left to others, patiently, and never in anybody's way."""

from __future__ import annotations

import pytest

from tests.ledger.apps import LONG_LEASE, Apps
from tests.places.behind import Behind
from windlass import Request, State, Windlass
from windlass.testing import ManualClock


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def app(new_app: Apps, clock: ManualClock) -> Windlass:
    return new_app(clock=clock)


def work(app: Windlass) -> None:
    app.worker(["default"], lease=LONG_LEASE).run_until_empty()


def test_a_task_that_no_worker_knows_is_not_run_and_not_charged(app: Windlass) -> None:
    """B31: the reason is in why; no attempt is charged."""
    job = app.enqueue("ghost", 1)
    work(app)
    assert (job.refresh().state, job.reason, job.attempt) == (State.SCHEDULED, "unknown_task", 0)
    assert "knows the task 'ghost'" in job.why()


def test_the_patience_for_an_unknown_task_grows_up_to_five_minutes(app: Windlass, clock: ManualClock) -> None:
    """B31: back-off to 5 min."""
    job = app.enqueue("ghost")
    delays = []
    for _ in range(13):
        work(app)
        delays.append(job.refresh().record.run_at - clock())
        clock.advance(delays[-1] / 1000)
    assert delays == [1_000, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, *[300_000] * 3]


def test_a_task_that_nobody_has_known_for_a_day_has_failed(app: Windlass, clock: ManualClock) -> None:
    """B31: failed(unknown_task) after 24 h, with an error that says so, uncharged."""
    job = app.enqueue("ghost")
    work(app)
    clock.advance("23h59m")
    work(app)
    assert job.refresh().state == State.SCHEDULED
    clock.advance("5m")
    work(app)
    assert (job.refresh().state, job.reason, job.attempt) == (State.FAILED, "unknown_task", 0)
    assert "24 hours" in job.errors[-1].message


def test_unknown_tasks_do_not_delay_the_others(app: Windlass) -> None:
    """B31: a worker with a single slot gets past a queue full of strangers at once."""

    @app.task
    def echo() -> int:
        return 1

    app.enqueue_many(app.request("ghost", (number,), priority=9) for number in range(300))
    job = echo.enqueue()
    app.worker(concurrency=1, lease=LONG_LEASE).run_until_empty()
    assert job.refresh().state == State.COMPLETED


def test_a_rolling_deploy_loses_nothing(new_app: Apps, app: Windlass, clock: ManualClock) -> None:
    """B31: an old worker meets a new task; the new worker runs it."""
    job = app.enqueue("new", 41)
    work(app)
    newer = new_app(clock=clock)

    @newer.task(name="new")
    def new(number: int) -> int:
        return number + 1

    clock.advance("1s")
    newer.worker(lease=LONG_LEASE).run_until_empty()
    assert (job.result(timeout=1), job.refresh().attempt) == (42, 1)


@pytest.mark.parametrize("function", ["tests.worker.nowhere:f", "tests.worker.tap:nothing", "tests.worker:x"])
def test_a_function_that_is_not_there_is_an_unknown_task(new_app: Apps, clock: ManualClock, function: str) -> None:
    """B31: as is its module; a deploy may bring it."""
    app = new_app(clock=clock, importable=["tests.worker"])

    @app.task
    def echo() -> int:
        return 1

    stranger, job = app.enqueue(function), echo.enqueue()
    app.worker(lease=LONG_LEASE).run_until_empty()
    assert (stranger.refresh().state, stranger.reason) == (State.SCHEDULED, "unknown_task")
    assert job.refresh().state == State.COMPLETED


def test_a_module_that_cannot_be_imported_harms_nobody(new_app: Apps, clock: ManualClock) -> None:
    """B31: what it does when it is imported does not reach the jobs that were claimed with it (I11), and is told."""
    app = new_app(clock=clock, importable=["tests.worker"])

    @app.task
    def echo() -> int:
        return 1

    [broken], job = app.enqueue_many([Request("tests.worker.broken:function", (), {})]), echo.enqueue()
    app.worker(lease=LONG_LEASE).run_until_empty()
    assert (broken.refresh().state, broken.errors[-1].type) == (State.RETRYING, "SystemExit")
    assert "wants to end the process" in broken.errors[-1].message
    assert job.refresh().state == State.COMPLETED


def test_a_payload_of_a_newer_format_is_left_for_newer_workers(app: Windlass, behind: Behind) -> None:
    """B32: newer ones are left for newer workers."""

    @app.task
    def echo() -> int:
        return 1

    job, other = echo.enqueue(), echo.enqueue()
    behind.damage(job, payload='{"v":2,"call":"new"}')
    work(app)
    assert (job.refresh().state, job.reason, job.attempt) == (State.SCHEDULED, "newer_format", 0)
    assert other.refresh().state == State.COMPLETED
    assert "newer Windlass" in job.why()
