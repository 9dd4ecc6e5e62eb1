"""Jobs that this worker cannot run: left to others, patiently, and never in anybody's way."""

from __future__ import annotations

import logging

import pytest

from tests.ledger.apps import LONG_LEASE, Apps
from tests.places.raw_store import RawStore
from tests.waiting import eventually
from windlass import Request, State, Windlass
from windlass.core.records import Claimed
from windlass.testing import ManualClock
from windlass.worker.runs.unknown_tasks import UnknownTasks


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


@pytest.mark.parametrize(
    "function", ["tests.worker.nowhere:f", "tests.worker.call_interceptor:nothing", "tests.worker:x"]
)
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

    [broken], job = app.enqueue_many([Request("tests.worker.unimportable_module:function", (), {})]), echo.enqueue()
    app.worker(lease=LONG_LEASE).run_until_empty()
    assert (broken.refresh().state, broken.errors[-1].type) == (State.RETRYING, "SystemExit")
    assert "wants to end the process" in broken.errors[-1].message
    assert job.refresh().state == State.COMPLETED


def test_a_payload_of_a_newer_format_is_left_for_newer_workers(app: Windlass, raw_store: RawStore) -> None:
    """B32: newer ones are left for newer workers."""

    @app.task
    def echo() -> int:
        return 1

    job, other = echo.enqueue(), echo.enqueue()
    raw_store.damage(job, payload='{"v":2,"call":"new"}')
    work(app)
    assert (job.refresh().state, job.reason, job.attempt) == (State.SCHEDULED, "newer_format", 0)
    assert other.refresh().state == State.COMPLETED
    assert "newer Windlass" in job.why()


def claimed(task: str) -> Claimed:
    return Claimed(1, "id", task, "default", 0, "{}", None, 0, 4, 0, 0, 1, None, 0, False, None, None, None, None)


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What was logged since the last look."""
    found = [record.getMessage() for record in caplog.records if record.name == "windlass.worker"]
    caplog.clear()
    return found


def test_a_worker_warns_of_each_unknown_task(app: Windlass, caplog: pytest.LogCaptureFixture) -> None:
    """B31: however many of its jobs there are; the warning tells what to do."""
    caplog.set_level(logging.WARNING)
    app.enqueue_many([app.request("ghost")] * 50 + [app.request("spirit")])
    app.enqueue(app.command(["true"]))
    work(app)
    told = sorted(warnings(caplog))
    assert len(told) == 3
    assert "is a command, and this worker allows none" in told[0]
    assert "'ghost' is not known here" in told[1]
    assert "-A, or with Windlass(include=[...])" in told[1]
    assert "'spirit' is not known here" in told[2]


@pytest.mark.only_on("sqlite")
def test_a_function_that_a_run_did_not_find_is_warned_of(
    new_app: Apps, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    """B31."""
    app = new_app(clock=clock, importable=["tests.worker"])
    app.enqueue("tests.worker.call_interceptor:nothing")
    work(app)
    assert [text for text in warnings(caplog) if "'tests.worker.call_interceptor:nothing' is not known here" in text]


def test_an_unknown_task_is_one_warning_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    """B31: each name for itself."""
    passed = 0.0
    unknown = UnknownTasks(lambda: passed)
    while passed < 120:
        unknown.meet(claimed("ghost"))
        passed += 1
    unknown.meet(claimed("spirit"))
    assert ["'ghost'" in text for text in warnings(caplog)] == [True, True, False]


def test_any_number_of_unknown_tasks_is_bounded(caplog: pytest.LogCaptureFixture) -> None:
    """B31: in the log as in memory; they are forgotten when no more jobs of theirs come."""
    passed = 0.0
    unknown = UnknownTasks(lambda: passed)
    for number in range(1_000):
        unknown.meet(claimed(f"ghost-{number}"))
    told = warnings(caplog)
    assert len(told) == 101
    assert "more than 100 tasks" in told[-1]
    assert len(unknown.names()) == 20
    passed = 601.0
    unknown.meet(claimed("spirit"))
    assert len(warnings(caplog)) == 1
    assert unknown.names() == ["spirit"]


@pytest.mark.only_on("sqlite")
def test_unknown_tasks_are_among_the_problems(app: Windlass) -> None:
    """B31: those of all workers that live, in one line each, and not too many."""
    app.enqueue_many([app.request(f"ghost-{number:02}") for number in range(15)])
    with app.worker(["default"], lease=LONG_LEASE, heartbeat="50ms"):
        eventually(lambda: len(app.overview().problems) == 11, "the next heartbeat tells")
        problems = app.overview().problems
    assert problems[0].startswith("jobs of task 'ghost-00' wait")
    assert problems[10:] == ["jobs of 5 more unknown tasks wait"]
    assert app.overview().problems == ["no worker is alive"]
