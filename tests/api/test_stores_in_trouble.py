"""Stores that cannot be used as they are: a clear answer, and nothing lost."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from windlass import ConfigError, State, StoreUnavailable, Windlass

ROOT = Path(__file__).parents[2]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A database with one job in it, closed."""
    path = tmp_path / "jobs.db"
    with Windlass(f"sqlite:///{path}") as app:
        app.enqueue("noop")
    return path


def test_a_database_from_the_future_is_left_alone(file: Path) -> None:
    connection = apsw.Connection(str(file))
    connection.execute("INSERT INTO windlass_schema (version, name) VALUES (999, 'later')")
    connection.close()
    app = Windlass(f"sqlite:///{file}")
    for _ in range(2):
        with pytest.raises(ConfigError, match=r"version 999.*upgrade windlass"):
            app.enqueue("noop")
    app.close()


def test_a_missing_directory_is_named(tmp_path: Path) -> None:
    app = Windlass(f"sqlite:///{tmp_path}/missing/jobs.db")
    with pytest.raises(StoreUnavailable, match=r"missing/jobs\.db.*does its folder exist"):
        app.enqueue("noop")
    (tmp_path / "missing").mkdir()
    assert app.enqueue("noop").state is State.PENDING
    app.close()


def test_a_worker_does_not_start_without_its_store(tmp_path: Path) -> None:
    app = Windlass(f"sqlite:///{tmp_path}/missing/jobs.db")
    worker = app.worker(["default"])
    with pytest.raises(StoreUnavailable):
        worker.start()
    worker.stop()
    app.close()


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "jobs.db").write_text("dear diary, " * 100)
    app = Windlass(f"sqlite:///{tmp_path}/jobs.db")
    with pytest.raises(StoreUnavailable, match="is not an SQLite database"):
        app.enqueue("noop")
    app.close()
    assert (tmp_path / "jobs.db").read_text().startswith("dear diary")


def test_python_s_own_connection_beside_ours_is_refused(file: Path) -> None:
    """Two SQLite libraries in one process would delete each other's logs."""
    app = Windlass(f"sqlite:///{file}")
    app.counts()
    with pytest.raises(ConfigError, match=r"driver=stdlib"):
        sqlite3.connect(file)
    assert app.counts()[State.PENDING] == 1
    app.close()


def test_our_connection_beside_python_s_own_is_refused(file: Path) -> None:
    connection = sqlite3.connect(file)
    app = Windlass(f"sqlite:///{file}")
    with pytest.raises(ConfigError, match=r"driver=stdlib"):
        app.counts()
    connection.close()
    app.close()


def test_the_application_s_own_database_with_the_switch(file: Path) -> None:
    connection = sqlite3.connect(file)
    with Windlass(f"sqlite:///{file}?driver=stdlib") as app:
        assert app.enqueue("noop").state is State.PENDING
        assert connection.execute("SELECT count(*) FROM windlass_job").fetchone() == (2,)
    connection.close()


FORKING = """
import os, sys
from windlass import ConfigError, Windlass

app = Windlass(sys.argv[1])

@app.task(name="noop")
def noop(): ...

noop.enqueue()
worker = app.worker()

def in_child():
    noop.options(id="child").enqueue()
    try:
        worker.start()
    except ConfigError as error:
        print(error, flush=True)
    with app.worker() as own:
        own.run_until_empty()
    app.close()

child = os.fork()
if child == 0:
    try:
        in_child()
    except BaseException as error:
        print("child failed:", repr(error), flush=True)
    os._exit(0)
os.waitpid(child, 0)
noop.options(id="parent").enqueue()
app.close()
"""


def test_a_forked_child_enqueues_and_an_inherited_worker_refuses(tmp_path: Path) -> None:
    """Preloading web servers fork; a worker belongs to the process it was made in."""
    url = f"sqlite:///{tmp_path}/jobs.db"
    ran = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", FORKING, url],
        env={"PYTHONPATH": str(ROOT / "src"), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert ran.stdout.startswith("this worker was made before a fork"), ran.stdout + ran.stderr
    assert "child failed" not in ran.stdout
    with Windlass(url) as app:
        assert app.job("child").state is State.COMPLETED
        assert app.job("parent").state is State.PENDING
        assert app.counts()[State.COMPLETED] == 2
