"""The line a minute, and what DEBUG tells."""

from __future__ import annotations

import logging

import pytest

from tests.worker.call_interceptor import CallInterceptor
from windlass import StoreUnavailable, Windlass
from windlass.store.operation import Call
from windlass.worker.figures.minute_report import MinuteReport

pytestmark = pytest.mark.only_on("sqlite")


def test_a_line_a_minute_tells_what_a_process_does(
    app: Windlass, interceptor: CallInterceptor, caplog: pytest.LogCaptureFixture
) -> None:
    """B23: memory, depths, uptime, counts, store latency; none while the store is away."""
    caplog.set_level("INFO", "windlass.worker")
    now = [0.0]
    report = MinuteReport(
        session=app.client.session, name="shop-1", facts=lambda: {"running": 2, "ended": 7}, monotonic=lambda: now[0]
    )
    app.enqueue("echo", 1)
    for now[0] in (0.0, 59.0, 60.0, 61.0, 119.0):
        report.tick()
    [record] = caplog.records
    assert record.getMessage().startswith("shop-1: running 2, ended 7; 1 jobs ready in 1 queues, memory ")
    fields = {name: record.__dict__[name] for name in ("event", "worker", "ready", "uptime", "running")}
    assert fields == {"event": "minute", "worker": "shop-1", "ready": 1, "uptime": 60, "running": 2}

    def away(call: Call) -> None:
        raise StoreUnavailable("gone")

    interceptor.before.append(away)
    now[0] = 200.0
    report.tick()
    assert len(caplog.records) == 1


def test_debug_tells_cycles_and_calls_of_the_store(app: Windlass, caplog: pytest.LogCaptureFixture) -> None:
    """B23: claim decisions, and store calls with their time; nothing of what they carry."""

    @app.task(name="say")
    def say(text: str) -> None: ...

    say.enqueue("hunter2")
    caplog.set_level(logging.DEBUG, "windlass")
    app.worker().run_until_empty()
    texts = [record.getMessage() for record in caplog.records if record.levelno == logging.DEBUG]
    assert any(text.startswith("cycle: 0 endings") and text.endswith("claimed 1") for text in texts)
    assert any(text.startswith("cycle took ") and text.endswith(" ms") for text in texts)
    assert not any("hunter2" in text for text in texts)
