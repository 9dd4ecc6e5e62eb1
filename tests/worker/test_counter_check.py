"""The duty that compares what limits count with the jobs that run."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from tests.places.raw_sqlite import RawSqlite
from windlass import Windlass
from windlass.worker.duties.counter_check import CounterCheck


def test_a_wrong_counter_is_a_defect_that_is_told_and_set_right(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """C3: an error in the log, a notice for operators, and room for those who wait."""
    file = tmp_path / "jobs.db"
    with Windlass(f"sqlite:///{file}") as app:
        app.queue("mail").configure(max_running=2)
        app.enqueue_many([app.request("send", queue="mail") for _ in range(3)])
        check = CounterCheck(session=app.client.session, by="w")
        assert check.tick() == 60
        assert check.did == ""
        RawSqlite(file).miscount("mail", 2)
        assert app.claim(queues=["mail"]) == []
        with caplog.at_level(logging.ERROR):
            check.tick()
        assert "running jobs of queue mail said 2 while 0 ran" in caplog.text
        assert check.did == "mended 1 counter"
        assert len(app.claim(9, queues=["mail"])) == 2
        [notice] = app.overview().notices
        assert notice.text == "the counter of running jobs of queue mail said 2 while 0 ran; it was set right"
