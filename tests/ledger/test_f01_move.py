"""``windlass move``: a stopped store's jobs go to another one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.ledger.apps import Apps
from tests.places.place import Place, SqlitePlace
from windlass import JobNotFound, State
from windlass.cli.main import run


def moved(source: Place, target: Place, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    where = ["--namespace", source.namespace, "--to-namespace", target.namespace, "--json"]
    assert run(["move", source.url, target.url, *where]) == 0
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


def test_jobs_in_all_states_are_moved_and_compared(
    place: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """F1: from a file to each store; a second time changes nothing."""
    old = SqlitePlace(tmp_path / "old.db")
    with Apps(old) as apps:
        app = apps()
        jobs = app.enqueue_many([app.request("echo", [number], concurrency_key="one") for number in range(3)])
        jobs += app.enqueue_many([app.request("echo", [3], delay="1h", id="later", tags=("vip",))])
        [claimed] = app.claim(9)
        assert jobs[1].refresh().state is State.BLOCKED
        claimed.complete("done")
        [again] = app.claim(9)
        again.discard("bad")
        jobs[2].cancel()
        app.queue("mail").configure(weight=3, by="ada")
        app.concurrency("echo").configure(limit=2, by="ada")
    first, second = moved(old, place, capsys), moved(old, place, capsys)
    assert (first["jobs"], first["added"], second["added"]) == (4, 4, 0)
    assert first["checksum"] == second["checksum"]
    with Apps(place) as apps:
        app = apps()
        states = [app.job(job.id).state for job in jobs]
        assert states == [State.COMPLETED, State.FAILED, State.CANCELLED, State.SCHEDULED]
        assert app.job(jobs[0].id).result() == "done"
        assert app.job("later").tags == ("vip",)
        assert app.queue("mail").settings().changes["weight"].by == "ada"
        assert app.concurrency("echo").settings().limit == 2
        with pytest.raises(JobNotFound):
            app.job("nothing")
