"""``windlass bench``: figures of this store; nothing is left behind."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.cli.program import Program
from windlass import Windlass
from windlass.cli.diagnostics.bench import QUEUE, _removed_afterwards
from windlass.cli.errors import Interrupted

SMALL = ("--jobs", "200", "--pick-ups", "2")


def test_figures_have_units_and_nothing_is_left(windlass: Program) -> None:
    people, programs, left = windlass.many(["bench", *SMALL], ["bench", *SMALL, "--json"], ["queues", "list"])
    for word in ("enqueue, one by one", "enqueue_many", "drain", "pick-up", "jobs/s", "ms median"):
        assert word in people.out
    assert programs.json["drain"]["jobs"] == programs.json["enqueue"]["jobs"] + programs.json["enqueue_many"]["jobs"]
    assert programs.json["drain"]["jobs_per_second"] > 0
    assert 0 < programs.json["pick_up"]["p50_ms"] <= programs.json["pick_up"]["max_ms"]
    assert left.out == "no queues yet\n"


def test_a_store_with_other_jobs_is_refused_unless_told(windlass: Program) -> None:
    windlass.app.enqueue("mail.welcome", 1)
    refused, told = windlass.many(["bench", *SMALL], ["bench", *SMALL, "--with-other-jobs"])
    assert refused.is_error(1, "has 1 job", "--with-other-jobs")
    assert told.code == 0, told
    assert windlass.app.counts()["pending"] == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_benchmark_leaves_nothing(tmp_path: Path, number: int) -> None:
    former = signal.getsignal(signal.SIGTERM)
    with Windlass(f"sqlite:///{tmp_path}/jobs.db") as app:
        app.enqueue_many([app.request("windlass.bench", queue=QUEUE) for _ in range(3)])  # left by one that was killed
        with pytest.raises(Interrupted, match="is removed"):
            interrupted(app, number)
        assert app.overview().queues == []
    assert signal.getsignal(signal.SIGTERM) is former


def interrupted(app: Windlass, number: int) -> None:
    with _removed_afterwards(app):
        assert app.jobs() == []
        app.enqueue_many([app.request("windlass.bench", queue=QUEUE) for _ in range(3)])
        signal.raise_signal(number)
