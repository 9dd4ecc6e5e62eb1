"""The duty that compares what limits count with the jobs that run."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from tests.places.place import Place
from tests.places.raw_sqlite import RawSqlite
from tests.places.raw_store import RawStore
from windlass import Windlass
from windlass.core.limits.concurrency import stored_key
from windlass.worker.duties.limits.counter_check import CounterCheck


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


@pytest.mark.only_on("postgres", "redis")
def test_a_key_with_a_wrong_counter_is_a_defect_that_is_told_and_set_right(
    app: Windlass, place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    """C3: on the stores that count; on SQLite the jobs themselves are counted."""
    app.enqueue_many([app.request("sync", concurrency_key="user-7") for _ in range(2)])
    [claimed] = app.claim(2)
    check = CounterCheck(session=app.client.session, by="w")
    check.tick()
    assert check.did == ""
    RawStore(place).miscount_key(stored_key("sync", "user-7"), 1)
    with caplog.at_level(logging.ERROR):
        check.tick()
    assert "concurrency key 'user-7' of task sync was held by 2 jobs by its counter, and by 1 in truth" in caplog.text
    assert check.did == "mended 1 counter"
    [notice] = app.overview().notices
    assert notice.text.startswith("concurrency key 'user-7' of task sync was held by 2 by its counter, and by 1")
    claimed.complete()
    assert len(app.claim(2)) == 1
