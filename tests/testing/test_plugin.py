"""The pytest plugin: fixtures when they are asked for, and nothing before."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from windlass import Windlass
from windlass.testing import ManualClock, drain

ROOT = Path(__file__).parents[2]

USER_TESTS = """
from windlass import AppClosed, Windlass
from windlass.testing import ManualClock, drain

apps = []

def test_an_app_with_its_clock(windlass_app, windlass_clock):
    assert isinstance(windlass_app, Windlass)
    assert isinstance(windlass_clock, ManualClock)
    apps.append(windlass_app)

    @windlass_app.task
    def noop(): ...

    job = noop.options(delay="1h").enqueue()
    assert drain(windlass_app) == 0
    windlass_clock.advance("1h")
    assert drain(windlass_app) == 1

def test_the_next_one_is_empty(windlass_app):
    assert windlass_app.jobs() == []
    try:
        apps[0].jobs()
    except AppClosed:
        return
    raise AssertionError("the first test's app is still open")
"""


USER_APP = """
from windlass import Windlass

app = Windlass("sqlite:///own.db")

@app.task(name="welcome")
def welcome(user_id: int) -> str:
    return f"welcome {user_id}"
"""

TESTS_OF_THE_USER_S_APP = """
import pytest
from shop import app, welcome
from windlass.testing import assert_enqueued, drain, inline, manual

@pytest.mark.parametrize("number", range(6))
def test_each_sees_its_own_jobs(windlass_app, windlass_clock, number):
    assert windlass_app is app
    with pytest.raises(AssertionError, match="no jobs at all"):
        assert_enqueued(app, welcome)
    job = welcome.options(delay="1h", id="the-same-id").enqueue(number)
    assert assert_enqueued(app, welcome, number) == job
    windlass_clock.advance("1h")
    assert drain(app) == 1

def test_blocks_inside(windlass_app):
    with inline(app):
        assert welcome.enqueue(1).result() == "welcome 1"
    assert windlass_app.jobs() == []
"""


def run_pytest(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "windlass.testing.plugin", "-p", "no:randomly", *arguments]
    environment = {"PYTHONPATH": str(ROOT / "src"), "PATH": "/usr/bin:/bin", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False)


def test_a_user_s_tests_get_an_app_and_a_clock(tmp_path: Path) -> None:
    (tmp_path / "test_user.py").write_text(USER_TESTS)
    ran = run_pytest(tmp_path, "-q", "-W", "error")
    assert "2 passed" in ran.stdout, ran.stdout + ran.stderr


@pytest.mark.parametrize("arguments", [(), ("-p", "xdist", "-n", "2")], ids=["alone", "xdist"])
def test_a_user_s_own_app_is_put_on_a_store_of_each_test_s_own(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    (tmp_path / "shop.py").write_text(USER_APP)
    (tmp_path / "test_shop.py").write_text(TESTS_OF_THE_USER_S_APP)
    (tmp_path / "pytest.ini").write_text("[pytest]\nwindlass_app = shop:app\n")
    ran = run_pytest(tmp_path, "-q", "-W", "error", *arguments)
    assert "7 passed" in ran.stdout, ran.stdout + ran.stderr
    assert not (tmp_path / "own.db").exists()


@pytest.mark.parametrize(
    ("name", "says"), [("nowhere:app", "No module named 'nowhere'"), ("sys:path", "not a Windlass")]
)
def test_an_app_that_cannot_be_found_is_told(tmp_path: Path, name: str, says: str) -> None:
    (tmp_path / "test_user.py").write_text("def test_nothing(windlass_app): ...\n")
    (tmp_path / "pytest.ini").write_text(f"[pytest]\nwindlass_app = {name}\n")
    ran = run_pytest(tmp_path, "-q")
    assert says in ran.stdout + ran.stderr


def test_a_test_that_asks_for_nothing_gets_nothing(tmp_path: Path) -> None:
    """Never auto-use: other people's tests must not pay for a plugin that is merely installed."""
    (tmp_path / "test_user.py").write_text(
        "import sys\n\ndef test_nothing():\n    assert not [m for m in sys.modules if m.startswith('windlass.app')]\n"
    )
    ran = run_pytest(tmp_path, "-q")
    assert "1 passed" in ran.stdout, ran.stdout + ran.stderr


def test_the_plugin_is_registered() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert '[project.entry-points.pytest11]\nwindlass = "windlass.testing.plugin"' in text
    assert EntryPoint("windlass", "windlass.testing.plugin", "pytest11").load()


def test_the_fixtures_work_together(windlass_app: Windlass, windlass_clock: ManualClock) -> None:
    @windlass_app.task
    def noop() -> None: ...

    job = noop.enqueue()
    assert job.created_at == windlass_clock.now()
    assert drain(windlass_app) == 1
