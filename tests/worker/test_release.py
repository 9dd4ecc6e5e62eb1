"""Which code a worker runs, and what the leader samples of that and of workers that take no more jobs."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import pytest

from tests.waiting import eventually
from windlass import Windlass
from windlass.core.figures.bucket import Bucket
from windlass.core.figures.series import STORE, WORKER, series
from windlass.worker.duties.figures.sampler import Sampler
from windlass.worker.release import release_of

pytestmark = pytest.mark.only_on("sqlite")


def sampled(app: Windlass) -> Bucket:
    bucket = Sampler(session=app.client.session, monotonic=lambda: 0.0).sample()
    assert bucket is not None
    return bucket


def test_a_release_is_the_version_or_a_fingerprint_of_the_tasks_modules(
    app: Windlass, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B20: the same text gives the same name in every process, another text another."""
    monkeypatch.syspath_prepend(tmp_path)
    file = tmp_path / "shop_tasks_of_release.py"
    file.write_text("def send() -> None: ...\n")
    app.task(name="send")(import_module(file.stem).send)
    assert release_of("1.4.2", app.tasks) == "1.4.2"
    before = release_of("", app.tasks)
    assert before.startswith("code ")
    assert release_of("", app.tasks) == before
    file.write_text("def send() -> None:\n    print('sent')\n")
    assert release_of("", app.tasks) != before
    file.unlink()
    assert release_of("", app.tasks) != before, "a file that is gone is no error"
    del sys.modules[file.stem]


def test_the_leader_samples_releases_and_workers_that_take_no_more_jobs(app: Windlass) -> None:
    """B20: charts mark deploys by the first, the heat map of workers shows the second."""
    app.task(name="send")(print)
    with app.worker(name="shop", version="1.4.2", id="1") as first, app.worker(name="shop", version="1.4.2", id="2"):
        assert sampled(app)[STORE].gauges["release:1.4.2"].newest == 2
        own = series(WORKER, first.name)
        assert "paused" not in sampled(app)[own].gauges
        first.pause()
        eventually(lambda: "paused" in sampled(app)[own].gauges, "the pause is reported")
