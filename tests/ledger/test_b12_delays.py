"""Jobs that are due later."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from tests.ledger.apps import LONG_LEASE, Apps, work
from tests.waiting import PATIENCE
from windlass import ConfigError, IllegalTransition, Snooze, State, Windlass
from windlass.testing import ManualClock

pytestmark = pytest.mark.varied_on("sqlite")


@pytest.fixture(autouse=True)
def _tasks(app: Windlass) -> None:
    @app.task(name="noop")
    def noop() -> int:
        return 1


@pytest.mark.parametrize("delay", ["10m", 600, 600.0, timedelta(minutes=10)])
def test_a_delayed_job_is_invisible_until_it_is_due(app: Windlass, clock: ManualClock, delay: Any) -> None:
    """B12: delay= as text, seconds or timedelta."""
    job = app.tasks[0].options(delay=delay).enqueue()
    assert (job.state, job.run_at) == (State.SCHEDULED, clock.now() + timedelta(minutes=10))
    clock.advance("599s")
    assert (work(app), app.claim(), app.queue("default").peek()) == (0, [], [])
    clock.advance("1s")
    assert work(app) == 1
    assert job.result() == 1


@pytest.mark.parametrize("zone", [UTC, timezone(timedelta(hours=5, minutes=30))])
def test_an_instant_may_be_given(app: Windlass, clock: ManualClock, zone: timezone) -> None:
    """B12: at= in any time zone."""
    at = (clock.now() + timedelta(hours=1)).astimezone(zone)
    job = app.tasks[0].options(at=at).enqueue()
    assert (job.state, job.run_at) == (State.SCHEDULED, at)
    clock.set(at - timedelta(milliseconds=1))
    assert work(app) == 0
    clock.set(at)
    assert work(app) == 1


@pytest.mark.parametrize("ago", ["0s", "1ms", "365d"])
def test_an_instant_that_has_passed_means_now(app: Windlass, clock: ManualClock, ago: str) -> None:
    """B12: a past at= runs now, behind what is ready already."""
    at = clock.now()
    clock.advance(ago)
    before = app.tasks[0].enqueue()
    job = app.tasks[0].options(at=at).enqueue()
    assert job.state is State.PENDING
    assert app.queue("default").peek() == [before, job]


def test_no_delay_means_now(app: Windlass) -> None:
    """B12: delay=0 is no delay."""
    assert app.tasks[0].options(delay=0).enqueue().state is State.PENDING


@pytest.mark.parametrize("delay", [-1, "soon", "", float("nan"), float("inf"), timedelta(-1), True, 10**13])
def test_a_delay_that_makes_no_sense_is_refused(app: Windlass, delay: Any) -> None:
    """B12: the error names it."""
    with pytest.raises(ConfigError, match="delay"):
        app.tasks[0].options(delay=delay).enqueue()
    assert app.jobs() == []


def test_a_naive_instant_is_refused(app: Windlass) -> None:
    """B12: nobody knows its zone; the error says what to write."""
    with pytest.raises(ConfigError, match=r"at: .*has no time zone.*tzinfo=UTC"):
        app.tasks[0].options(at=datetime(2026, 3, 1)).enqueue()  # noqa: DTZ001
    with pytest.raises(ConfigError, match="must be a datetime"):
        app.tasks[0].options(at="tomorrow").enqueue()  # type: ignore[call-overload]
    assert app.jobs() == []


def test_a_running_worker_starts_what_falls_due(app: Windlass, new_app: Apps, clock: ManualClock) -> None:
    """B12: by itself, without news from anybody."""
    job = app.tasks[0].options(delay="10m").enqueue()
    with app.worker(lease=LONG_LEASE):
        clock.advance("10m")
        assert job.result(timeout=PATIENCE) == 1


def test_a_job_that_is_scheduled_while_a_worker_runs(app: Windlass, new_app: Apps, clock: ManualClock) -> None:
    """B12: by another process, and due before anything the worker knows of."""
    far = app.tasks[0].options(delay="100d").enqueue()
    with app.worker(lease="365d"):
        near = new_app().enqueue_many([app.tasks[0].options(delay="1m").request()])[0]
        clock.advance("1m")
        assert near.result(timeout=PATIENCE) == 1
        assert far.refresh().state is State.SCHEDULED


def test_a_delayed_job_is_cancelled_before(app: Windlass, clock: ManualClock) -> None:
    """B12: and never runs."""
    job = app.tasks[0].options(delay="10m").enqueue()
    assert job.cancel()
    clock.advance("1h")
    assert work(app) == 0


def test_a_delayed_job_is_moved(app: Windlass, clock: ManualClock) -> None:
    """B12: later, earlier, to an instant, or to now."""
    job = app.tasks[0].options(delay="10m").enqueue()
    assert job.reschedule("1h").run_at == clock.now() + timedelta(hours=1)
    assert job.reschedule("5m").run_at == clock.now() + timedelta(minutes=5)
    tomorrow = clock.now() + timedelta(days=1)
    assert (job.reschedule(tomorrow).run_at, job.state) == (tomorrow, State.SCHEDULED)
    assert job.reschedule(0).state is State.PENDING
    assert work(app) == 1


def test_a_job_that_waits_otherwise_is_moved_too(app: Windlass, clock: ManualClock) -> None:
    """B12: pending or retrying jobs are put off, or brought forward."""

    @app.task
    def fail() -> None:
        raise OSError

    pending = app.enqueue("noop")
    assert pending.reschedule("1h").state is State.SCHEDULED
    retrying = fail.enqueue()
    work(app)
    assert retrying.refresh().state is State.RETRYING
    assert retrying.reschedule(0).state is State.PENDING
    assert retrying.attempt == 1


def test_what_runs_or_is_finished_is_not_moved(app: Windlass) -> None:
    """B12: IllegalTransition names the state; nothing changes."""
    job = app.enqueue("noop")
    [claimed] = app.claim()
    with pytest.raises(IllegalTransition, match="running"):
        job.reschedule("1h")
    claimed.complete()
    before = job.refresh().record
    with pytest.raises(IllegalTransition, match="completed"):
        job.reschedule("1h")
    assert job.refresh().record == before


def test_a_naive_move_is_refused(app: Windlass) -> None:
    """B12: as for at=."""
    job = app.enqueue("noop")
    with pytest.raises(ConfigError, match="no time zone"):
        job.reschedule(datetime(2026, 3, 1))  # noqa: DTZ001


def test_a_job_may_put_itself_off(app: Windlass, clock: ManualClock) -> None:
    """B12: Snooze charges no attempt."""

    @app.task
    def not_yet() -> str:
        if clock.now().hour < 6:
            raise Snooze("6h")
        return "now"

    job = not_yet.options(attempts=1).enqueue()
    work(app)
    assert (job.refresh().state, job.attempt) == (State.SCHEDULED, 0)
    assert job.run_at == clock.now() + timedelta(hours=6)
    clock.advance("6h")
    work(app)
    assert job.result() == "now"


def test_why_tells_when_it_is_due(app: Windlass) -> None:
    """B12: in a sentence."""
    assert app.tasks[0].options(delay="10m").enqueue().why() == "it is scheduled, due in 0:10:00"


@pytest.mark.asyncio
async def test_async_code_delays_and_moves_too(app: Windlass, clock: ManualClock) -> None:
    """B12: the same times."""
    job = await app.tasks[0].options(delay="10m").aenqueue()
    assert (await job.areschedule("1h")).run_at == clock.now() + timedelta(hours=1)
