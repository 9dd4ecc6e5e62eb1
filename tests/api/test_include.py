"""``Windlass(include=[...])``: modules that are imported before a worker starts."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.waiting import PATIENCE
from windlass import ConfigError, Windlass
from windlass.testing import drain, manual

TASKS = """
import sys

app = sys.modules["tests.api.test_include"].apps[-1]

@app.task(name="included")
def included() -> str:
    return "here"
"""
apps: list[Windlass] = []


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Windlass:
    (tmp_path / "included_tasks.py").write_text(TASKS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "included_tasks", raising=False)
    apps.append(Windlass("sqlite:///:memory:", include=["included_tasks"]))
    return apps[-1]


def test_included_modules_are_imported_when_a_worker_is_made(app: Windlass) -> None:
    """Not before: they import the module that makes the app."""
    with app:
        assert app.tasks == []
        job = app.enqueue("included")
        with app.worker():
            assert job.result(timeout=PATIENCE) == "here"
        with app.worker():
            assert len(app.tasks) == 1


def test_included_tasks_run_in_tests(app: Windlass) -> None:
    """``drain`` takes the place of a worker."""
    with app, manual(app):
        job = app.enqueue("included")
        assert drain(app) == 1
        assert job.result() == "here"


def test_a_module_that_is_not_there_is_refused() -> None:
    with (
        Windlass("sqlite:///:memory:", include=["nowhere.tasks"]) as app,
        pytest.raises(ConfigError, match=r"include: nowhere\.tasks: there is no module 'nowhere'"),
    ):
        app.worker()


def test_a_module_that_cannot_be_imported_is_refused_with_the_line(app: Windlass, tmp_path: Path) -> None:
    (tmp_path / "included_tasks.py").write_text("raise SystemExit(3)\n")
    with app, pytest.raises(ConfigError, match=r"importing 'included_tasks' failed: SystemExit: 3 .*line 1\)"):
        app.worker()
