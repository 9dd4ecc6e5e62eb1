"""Figures of queues, tasks, workers, schedules and the store, over time."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.ledger.apps import work
from tests.waiting import eventually
from windlass import ConfigError, PermanentError, Windlass
from windlass.testing import ManualClock


@pytest.fixture(autouse=True)
def _tasks(app: Windlass) -> None:
    @app.task(name="send", queue="mail")
    def send(text: str = "") -> str:
        return text

    @app.task(name="flaky", queue="api")
    def flaky(error: bool) -> None:
        raise PermanentError("no") if error else ValueError("later")


def test_figures_tell_what_was_enqueued_and_how_it_ended(app: Windlass, clock: ManualClock) -> None:
    """A14: by queue, task and both, at once after a worker has stopped."""
    app.tasks[0].enqueue_many([("x" * 100,)] * 3)
    app.enqueue("flaky", True)
    app.enqueue("flaky", False)
    clock.advance("3s")
    work(app)
    total = app.figures().total
    assert (total.enqueued, total.completed, total.failed, total.retried) == (5, 3, 1, 1)
    mail = app.figures(queue="mail").total
    assert (mail.enqueued, mail.completed, mail.failed) == (3, 3, 0)
    assert mail.wait is not None
    assert (mail.wait.count, mail.wait.min, mail.wait.p99, mail.wait.max) == (3, *[timedelta(seconds=3)] * 3)
    assert mail.run is not None
    assert mail.run.count == 3
    assert mail.mean_attempts == 1
    assert mail.mean_payload is not None
    assert mail.mean_payload > 100
    flaky = app.figures(task="flaky", range="10m", step="1m")
    assert (flaky.total.failed, flaky.total.retried) == (1, 1)
    assert sorted(flaky.total.errors) == ["ValueError", "windlass.errors.PermanentError"]
    assert app.figures(queue="mail", task="flaky").total.failed == 0
    assert app.figures(queue="api", task="flaky").total.failed == 1
    assert list(app.figures(by="queue").by) == ["mail", "api"]
    [worker] = app.figures(by="worker").by.values()
    assert (worker.completed, worker.failed) == (3, 1)


def test_a_job_that_completes_after_a_retry_is_told(app: Windlass, clock: ManualClock) -> None:
    """A14: with the attempts that it took."""
    fails = [True]

    @app.task(name="second", queue="mail")
    def second() -> None:
        if fails.pop():
            fails.append(False)
            raise ValueError

    app.enqueue("second")
    work(app)
    clock.advance("1m")
    work(app)
    total = app.figures(task="second", range="10m").total
    assert (total.enqueued, total.retried, total.completed, total.recovered) == (1, 1, 1, 1)
    assert total.mean_attempts == 2


@pytest.mark.only_on("sqlite")
def test_figures_are_kept_in_buckets_of_four_lengths(app: Windlass, clock: ManualClock) -> None:
    """A14: 10 s for 6 h, 1 min for 7 days, 1 h for 90 days, 1 day for 400 days; a gap is told from a zero."""
    app.enqueue("send")
    work(app)
    app.roll_up()
    for later, range, step in (("5h", "6h", "30s"), ("6d", "7d", "10m"), ("80d", "90d", "2h"), ("300d", "400d", "1d")):
        clock.advance(later)
        app.roll_up()
        figures = app.figures(range=range, step=step)
        assert figures.total.completed == 1
        assert [point.completed for point in figures.points if point.is_known] == [1]
    clock.advance("30d")
    app.roll_up()
    assert not any(point.is_known for point in app.figures(range="400d").points)


@pytest.mark.only_on("sqlite")
def test_measures_are_told_as_one_number(app: Windlass, clock: ManualClock) -> None:
    """A14: the mean, the sum, and what 95 or 99 of 100 do not exceed; over jobs, and over steps."""
    for waits, number in (("2s", 1), ("4s", 3)):
        app.tasks[0].enqueue_many([("",)] * number)
        clock.advance(waits)
        work(app)
        clock.advance("1m")
    figures = app.figures(queue="mail", range="10m", step="1m", by="queue")
    known = [index for index, point in enumerate(figures.points) if point.is_known]
    summed = figures.aggregated("sum")
    assert [summed.points[index]["completed"] for index in known] == [1, 3]
    assert (summed.total["completed"], summed.total["failed"], summed.total["wait_seconds"]) == (4, 0, 14)
    mean = figures.aggregated("avg")
    assert (mean.total["wait_seconds"], mean.total["attempts"]) == (3.5, 1)
    assert mean.total["completed_per_second"] == mean.by["mail"]["completed_per_second"] == pytest.approx(4 / 120)
    assert mean.points[known[0]]["completed_per_second"] == pytest.approx(1 / 60)
    high = figures.aggregated("p95")
    assert (high.total["wait_seconds"], high.points[known[0]]["wait_seconds"]) == pytest.approx((4, 2), rel=0.05)
    assert high.total["completed_per_second"] == pytest.approx(3 / 60)
    assert {index for index, values in enumerate(high.points) if values} == set(known)
    assert set(app.figures(queue="none").aggregated("p99").total.values()) == {0}, "it was watched, and had no jobs"
    with pytest.raises(ConfigError, match="aggregate must be one of avg, sum, p95, p99"):
        figures.aggregated("p42")


@pytest.mark.only_on("sqlite")
def test_the_leader_watches_depths_workers_and_the_store(app: Windlass) -> None:
    """A14: greatest depth, live and busy workers, store size and latency, memory and CPU of each worker."""
    app.tasks[0].options(queue="unserved").enqueue_many([("",)] * 4)
    with app.worker(["mail"], name="shop"):
        eventually(lambda: app.figures(store=True).total.levels, "the leader has looked")
        eventually(lambda: app.figures(queue="unserved").total.depth == 4)
        store = app.figures(store=True).total.levels
        assert store["workers"].max == 1
        assert store["slots"].max == 10
        assert store["latency"].max > 0
        assert {"size", "memory"} & store.keys()
        eventually(lambda: app.figures(by="worker").by, "the worker has told of itself")
        [worker] = app.figures(by="worker").by.values()
        assert worker.levels["memory"].max > 1_000_000
        assert "cpu" in worker.levels


@pytest.mark.only_on("sqlite")
def test_slots_of_schedules_are_counted(app: Windlass, clock: ManualClock) -> None:
    """A14: fired, late, skipped, missed."""
    app.add_schedule("minutely", "send", every="1m", catch_up="latest")
    clock.advance("5m")
    with app.worker():
        eventually(lambda: sum(app.figures(schedule="minutely").total.counts.values()) == 5)
    assert app.figures(schedule="minutely").total.counts == {"missed": 3, "late": 1, "on_time": 1}


@pytest.mark.only_on("sqlite")
@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"range": "2s"}, "range must be from 10 s to 400 days"),
        ({"range": "1h", "step": "15s"}, "step must be a multiple of 10 s"),
        ({"range": "8h", "step": "30s"}, "reach back 6h"),
        ({"range": "6h", "step": "10s"}, "more than 2,000 steps"),
        ({"by": "moon"}, "by must be one of queue, task, worker, schedule"),
        ({"worker": "w", "queue": "q"}, "not several"),
    ],
)
def test_what_cannot_be_asked_is_told(app: Windlass, asked: dict[str, str], told: str) -> None:
    """A14."""
    with pytest.raises(ConfigError, match=told):
        app.figures(**asked)  # type: ignore[arg-type]  # on purpose
