"""Metrics of enqueues, runs and queues, by the SDK of OpenTelemetry."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

from tests.ledger.apps import Apps
from windlass import IdConflict, Snooze, Windlass
from windlass.integrations import opentelemetry_metrics
from windlass.integrations.opentelemetry_metrics import measure_jobs

Found = dict[tuple[tuple[str, object], ...], Any]


class Metrics:
    """What was measured, by name."""

    def __init__(self) -> None:
        self._reader = InMemoryMetricReader()
        self.provider = MeterProvider(metric_readers=[self._reader])

    def named(self, name: str) -> tuple[str, Found]:
        """The unit, and the points by what tells them apart."""
        data = self._reader.get_metrics_data()
        assert data is not None
        [metric] = [
            metric
            for resource in data.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
            if metric.name == name
        ]
        points: Found = {}
        for point in metric.data.data_points:
            attributes = {key: value for key, value in (point.attributes or {}).items() if key != "messaging.system"}
            points[tuple(sorted(attributes.items()))] = point
        return str(metric.unit), points


@pytest.fixture
def metrics() -> Iterator[Metrics]:
    metrics = Metrics()
    yield metrics
    metrics.provider.shutdown()


@pytest.fixture
def app(new_app: Apps, metrics: Metrics) -> Windlass:
    app = new_app()
    measure_jobs(app, meter_provider=metrics.provider)
    return app


def attributes(operation: str, **more: object) -> tuple[tuple[str, object], ...]:
    kind = {"enqueue": "send", "run": "process"}[operation]
    named = {name.replace("_", "."): value for name, value in more.items()}
    known = {"messaging.operation.name": operation, "messaging.operation.type": kind, **named}
    return tuple(sorted(known.items()))


def test_enqueues_and_runs_are_counted_and_timed(app: Windlass, metrics: Metrics) -> None:
    """B23: by the conventions for messaging."""

    @app.task(name="welcome", queue="mail")
    def welcome(user: int) -> None:
        if user == 3:
            raise ValueError(user)

    @app.task(name="later")
    def later() -> None:
        raise Snooze("10m")

    welcome.options(attempts=1).enqueue(3)
    welcome.enqueue_many([(1,), (2,)])
    later.enqueue()
    app.worker().run_until_empty()

    mail: dict[str, object] = {"messaging_destination_name": "mail", "windlass_task": "welcome"}
    unit, sent = metrics.named("messaging.client.sent.messages")
    assert (unit, sent[attributes("enqueue", **mail)].value) == ("{message}", 3)
    unit, consumed = metrics.named("messaging.client.consumed.messages")
    assert unit == "{message}"
    assert consumed[attributes("run", **mail)].value == 2
    assert consumed[attributes("run", **mail, error_type="ValueError")].value == 1
    unit, took = metrics.named("messaging.process.duration")
    assert (unit, took[attributes("run", **mail)].count) == ("s", 2)
    assert took[attributes("run", **mail)].explicit_bounds[:3] == (0.005, 0.025, 0.1)
    unit, stored = metrics.named("messaging.client.operation.duration")
    assert (unit, stored[attributes("enqueue", **mail)].count) == ("s", 3)
    ended = [dict(key).get("windlass.ended_by") for key in consumed if ("windlass.task", "later") in key]
    assert ended == ["Snooze"]


def test_an_enqueue_that_fails_is_counted_by_its_error(app: Windlass, metrics: Metrics) -> None:
    app.enqueue_many([app.request("one", [1], id="same")])
    with pytest.raises(IdConflict):
        app.enqueue_many([app.request("one", [2], id="same")])
    _, sent = metrics.named("messaging.client.sent.messages")
    assert sent[attributes("enqueue", windlass_task="one", error_type="windlass.errors.IdConflict")].value == 1


def test_queues_tell_how_many_jobs_wait(app: Windlass, metrics: Metrics) -> None:
    app.enqueue_many([app.request("one", [number], queue="mail") for number in range(3)])
    unit, ready = metrics.named("windlass.queue.ready")
    assert (unit, ready[("messaging.destination.name", "mail"),].value) == ("{job}", 3)
    unit, oldest = metrics.named("windlass.queue.oldest")
    assert (unit, oldest[("messaging.destination.name", "mail"),].value >= 0) == ("s", True)


def test_names_without_end_become_other(app: Windlass, metrics: Metrics, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opentelemetry_metrics, "QUEUES_AT_MOST", 2)
    app.enqueue_many([app.request("one", queue=f"queue-{number}") for number in range(5)])
    _, sent = metrics.named("messaging.client.sent.messages")
    counts = {dict(key)["messaging.destination.name"]: point.value for key, point in sent.items()}
    assert (counts["other"], sorted(counts.values())) == (3, [1, 1, 3])
    _, ready = metrics.named("windlass.queue.ready")
    assert {dict(key)["messaging.destination.name"]: point.value for key, point in ready.items()}["other"] == 3


def test_a_missing_extra_is_named() -> None:
    """C1."""
    program = (
        "import sys; sys.modules['opentelemetry.metrics'] = None; import windlass;"
        "from windlass.integrations.opentelemetry_metrics import measure_jobs;"
        "measure_jobs(windlass.Windlass('sqlite:///:memory:'))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "windlass.errors.ConfigError: measure_jobs needs the extra 'otel'" in done.stderr
