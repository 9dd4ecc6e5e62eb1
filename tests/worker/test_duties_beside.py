"""Duties beside something else that a process does, such as serving HTTP."""

from __future__ import annotations

from pathlib import Path
from threading import Event, Thread

import pytest

from tests.waiting import PATIENCE, eventually
from windlass import StartRefused, Windlass
from windlass.worker.duties import standalone
from windlass.worker.duties.standalone import DutiesBeside, StandaloneDuties


def test_they_begin_with_the_store_and_an_order_to_stop_is_passed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standalone, "_ASKED_EVERY", 0.0)
    monkeypatch.setattr(standalone, "_ROUND", 0.01)
    file, asked_to_stop = tmp_path / "jobs.db", Event()
    with Windlass(f"sqlite:///{file}") as app:
        with DutiesBeside(app.client, on_over=asked_to_stop.set):
            assert not file.exists()
            app.migrate()
            eventually(lambda: [worker.runs_jobs for worker in app.workers()] == [False], "they are shown")
            assert not asked_to_stop.is_set()
            app.stop_worker(app.workers()[0].id)
            assert asked_to_stop.wait(PATIENCE)
        assert app.workers() == []


@pytest.mark.only_on("sqlite")
def test_duties_that_get_not_all_their_threads_leave_nothing_behind(
    app: Windlass, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B38: they are tried again every second, and each try would be shown as a worker that was lost."""
    start = Thread.start

    def start_or_refuse(thread: Thread) -> None:
        if thread.name == "windlass-rescue":
            eventually(app.workers, "the first threads have shown the process")
            raise RuntimeError("can't start new thread")
        start(thread)

    app.migrate()
    monkeypatch.setattr(Thread, "start", start_or_refuse)
    with pytest.raises(StartRefused):
        StandaloneDuties(app.client).start()
    assert app.workers() == []
