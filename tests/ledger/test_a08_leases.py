"""A8: a worker keeps its lease alive, and stops its jobs before somebody else may have them."""

from __future__ import annotations

import asyncio
import logging
from threading import Event
from typing import Any

import pytest

from tests.ledger.apps import Apps
from tests.waiting import PATIENCE, eventually
from tests.worker.call_interceptor import intercept
from windlass import ConfigError, State, StoreUnavailable, Windlass
from windlass.programs.reaper import Reaper
from windlass.store.operation import Call
from windlass.testing import ManualClock
from windlass.worker.build import build_worker
from windlass.worker.settings import WorkerSettings


@pytest.mark.parametrize(
    "options", [{"lease": "10s", "heartbeat": "5.1s"}, {"heartbeat": 0}, {"heartbeat_failures": 0}], ids=str
)
def test_beats_that_could_not_keep_a_lease_are_refused(app: Windlass, options: dict[str, Any]) -> None:
    """A8: a heartbeat of more than half the lease is ConfigError."""
    with pytest.raises(ConfigError, match="heartbeat"):
        app.worker(["default"], **options)


@pytest.mark.parametrize(("options", "count"), [({}, 3), ({"heartbeat": "125ms"}, 12)], ids=["default", "given"])
def test_a_lease_is_renewed_three_times_in_its_length(app: Windlass, options: dict[str, str], count: int) -> None:
    """A8: heartbeat= says how often; lease/3 by default. Its rounds come exactly when they are due."""
    passed, beats = 0.0, list[float]()

    def note(call: Call) -> None:
        if call.name == "renew":
            beats.append(passed)

    intercept(app).before.append(note)
    settings = WorkerSettings.of(app.client, ["default"], lease="1.5s", duties=False, **options)  # type: ignore[arg-type]
    heartbeat = build_worker(app.client, settings, reaper=Reaper(), monotonic=lambda: passed)._heartbeat  # noqa: SLF001
    heartbeat.open()
    while passed < 1.5:
        passed += heartbeat.tick()
    heartbeat.tick()
    heartbeat.close()
    assert beats == [1.5 / count * beat for beat in range(1, count + 1)]


def test_jobs_are_stopped_before_another_worker_may_have_them(
    new_app: Apps, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    """A8: the log says so, what the first run gives is dropped, and both workers go on."""
    caplog.set_level(logging.ERROR)
    first, second = new_app(), new_app()
    is_cut = Event()
    runs: list[str] = []

    def refuse(call: Call) -> None:
        if is_cut.is_set():
            raise StoreUnavailable("the cable is cut")

    intercept(first).before.append(refuse)

    @first.task(name="work")
    async def work() -> str:
        runs.append("first begins")
        try:
            await asyncio.Event().wait()
        finally:
            runs.append("first stops")
        return "nothing"

    @second.task(name="work")
    def work_too() -> str:
        runs.append("second begins")
        return "done"

    with first.worker(lease="1s", heartbeat_failures=2, duties=False) as worker:
        before = worker.lease
        job = second.enqueue("work")
        eventually(lambda: job.refresh().started_at is not None, "the first worker runs it")
        is_cut.set()
        eventually(lambda: runs[-1] == "first stops", "it stops its job")
        clock.advance("2s")
        second.rescue()
        assert second.worker(duties=False).run_until_empty() == 1
        is_cut.clear()
        eventually(lambda: worker.lease not in ("", before), "it opens another lease and goes on")
        eventually(lambda: worker.status().refused == 1, "its ending is refused")
    assert runs == ["first begins", "first stops", "second begins"]
    assert (job.result(timeout=PATIENCE), job.refresh().state) == ("done", State.COMPLETED)
    assert "lease lost" in caplog.text


def test_what_had_ended_is_still_offered(new_app: Apps) -> None:
    """A8: a run that was over when the store went away counts, if nobody has taken the job over."""
    app, operator = new_app(), new_app()
    is_cut = Event()

    def refuse(call: Call) -> None:
        if is_cut.is_set():
            raise StoreUnavailable("the cable is cut")

    intercept(app).before.append(refuse)

    @app.task
    def work() -> str:
        is_cut.set()
        return "done"

    with app.worker(lease="1s", heartbeat_failures=2, duties=False) as worker:
        job = operator.enqueue(work.name)
        assert is_cut.wait(PATIENCE)
        eventually(lambda: worker.lease == "", "the lease is given up")
        is_cut.clear()
        assert job.result(timeout=PATIENCE) == "done"
    assert job.refresh().attempt == 1
