"""``/metrics``: text that Prometheus reads, with names, units and types by convention, and without unbounded labels."""

from __future__ import annotations

import re
from contextlib import closing
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families

from tests.ledger.apps import Apps
from tests.worker.call_interceptor import intercept
from windlass import StoreUnavailable, Windlass
from windlass.integrations import prometheus
from windlass.integrations.prometheus import StoreMetrics, render, render_worker
from windlass.store.operation import Call
from windlass.worker.process.health import HealthServer


@pytest.fixture
def app(new_app: Apps) -> Windlass:
    app = new_app()

    @app.task(name="send", queue="mail")
    def send(fails: bool = False) -> None:
        if fails:
            raise ValueError

    return app


def parsed(text: str) -> dict[str, Metric]:
    """As Prometheus' own reader understands it; each metric comes once."""
    families = list(text_string_to_metric_families(text))
    assert len({family.name for family in families}) == len(families)
    return {family.name: family for family in families}


def values(metric: Metric, **labels: str) -> list[float]:
    return [sample.value for sample in metric.samples if labels.items() <= sample.labels.items()]


def test_depths_and_states_are_told_for_each_queue(app: Windlass) -> None:
    """B23: the depth and the age of the oldest pending job, for autoscaling."""
    app.tasks[0].enqueue_many([()] * 3)
    app.tasks[0].options(delay="1h").enqueue()
    metrics = parsed(render(app))
    queue = "mail"
    assert values(metrics["windlass_queue_ready_jobs"], queue=queue) == [3]
    assert values(metrics["windlass_queue_jobs"], queue=queue, state="scheduled") == [1]
    [age] = values(metrics["windlass_queue_oldest_ready_seconds"], queue=queue)
    assert age >= 0
    assert values(metrics["windlass_store_up"]) == [1]
    assert "windlass_store_size_bytes" in metrics or values(metrics["windlass_store_memory_bytes"])[0] > 0


def test_names_units_and_types_follow_the_convention(app: Windlass) -> None:
    """B23: counters end in _total, times are seconds, sizes are bytes, and everything is explained."""
    app.enqueue("send")
    worker = app.worker()
    worker.run_until_empty()
    metrics = parsed(render_worker(StoreMetrics(app), worker))
    assert len(metrics) > 12
    for name, metric in metrics.items():
        assert re.fullmatch(r"(windlass|process)_[a-z_]+", name)
        assert metric.documentation
        assert metric.type in ("counter", "gauge", "histogram")
        assert "_ms" not in name
        assert "milliseconds" not in name
        for sample in metric.samples:
            assert sample.name.endswith("_total") is (metric.type == "counter")
            assert not {"job", "id", "worker"} & sample.labels.keys()


def test_a_worker_tells_what_it_ran_and_how_long_that_took(app: Windlass) -> None:
    """B23: histograms with few fixed buckets."""
    app.tasks[0].enqueue_many([(), (), (True,)])
    worker = app.worker()
    worker.run_until_empty()
    metrics = parsed(render_worker(StoreMetrics(app), worker))
    runs = metrics["windlass_worker_runs"]
    assert (values(runs, outcome="completed"), values(runs, outcome="retried")) == ([2], [1])
    took = metrics["windlass_worker_run_seconds"]
    buckets = [sample.value for sample in took.samples if sample.name.endswith("_bucket")]
    assert buckets == sorted(buckets)
    assert buckets[-1] == 3
    assert [sample.value for sample in took.samples if sample.name.endswith("_count")] == [3]


def test_many_queues_are_summed_up(app: Windlass, monkeypatch: pytest.MonkeyPatch) -> None:
    """B23: no unbounded labels."""
    monkeypatch.setattr(prometheus, "QUEUES_AT_MOST", 2)
    for number in range(5):
        app.tasks[0].options(queue=f"q{number}").enqueue()
    ready = parsed(render(app))["windlass_queue_ready_jobs"]
    assert {sample.labels["queue"]: sample.value for sample in ready.samples} == {"q0": 1, "q1": 1, "other": 3}


def test_a_store_that_is_away_is_told(app: Windlass) -> None:
    """B23: the scrape itself succeeds."""

    def away(call: Call) -> None:
        raise StoreUnavailable("gone")

    app.enqueue("send")
    intercept(app).before.append(away)
    metrics = parsed(render(app))
    assert values(metrics["windlass_store_up"]) == [0]
    assert metrics.keys() == {"windlass_store_up", "windlass_build_info"}


def test_scrapes_that_follow_each_other_read_once(app: Windlass) -> None:
    now = [0.0]
    metrics = StoreMetrics(app, monotonic=lambda: now[0])
    app.enqueue("send")
    calls = intercept(app).calls
    first = metrics.render()
    asked = calls.total()
    app.tasks[0].enqueue()
    enqueued = calls.total() - asked
    assert metrics.render() == first
    assert calls.total() == asked + enqueued
    now[0] = 6.0
    assert metrics.render() != first


def test_the_health_port_serves_metrics(app: Windlass) -> None:
    """B23: beside /healthz and /readyz."""
    app.enqueue("send")
    metrics = StoreMetrics(app)
    with (
        HealthServer(
            host="127.0.0.1",
            port=0,
            liveness_problem=lambda: None,
            readiness_problem=lambda: None,
            metrics=metrics.render,
        ) as server,
        closing(HTTPConnection(urlsplit(server.address).netloc, timeout=30)) as connection,
    ):
        connection.request("GET", "/metrics")
        answer = connection.getresponse()
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        assert "windlass_queue_ready_jobs" in parsed(answer.read().decode())
