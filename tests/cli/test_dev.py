"""``windlass dev``: a worker and the API, which start anew when a file is saved."""

from __future__ import annotations

import signal
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Thread

import pytest

from tests.cli.program import DEADLINE, Program
from tests.places.health_probe import asked
from windlass.cli.dev.file_watcher import saves, source_files

JOBS = "from windlass import Windlass\napp = Windlass()\n@app.task(name='say')\ndef say() -> str:\n    return {!r}\n"


def said(program: Program) -> object:
    return program.app.enqueue("say").result(timeout=DEADLINE)


def test_a_save_starts_the_worker_anew(windlass: Program) -> None:
    windlass.write("jobs.py", JOBS.format("old"))
    with windlass.start("dev", "-A", "jobs", "--port", "0") as dev:
        dev.wait_for("watching")
        dev.wait_for("tasks")
        address = dev.wait_for("http://").split()[-1]
        assert asked(address, "/api/v1/tasks")[0] == 200
        assert said(windlass) == "old"
        windlass.write("jobs.py", JOBS.format("new"))
        dev.wait_for("saved: jobs.py")
        dev.wait_for("tasks")
        assert said(windlass) == "new"
        dev.signal(signal.SIGINT)
        assert dev.code() == 0
    assert windlass.app.workers() == []


def test_a_file_that_cannot_be_loaded_is_waited_for(windlass: Program) -> None:
    windlass.write("jobs.py", "def (")
    with windlass.start("dev", "-A", "jobs") as dev:
        dev.wait_for("SyntaxError")
        windlass.write("jobs.py", JOBS.format("mended"))
        dev.wait_for("tasks")
        assert said(windlass) == "mended"
        dev.signal(signal.SIGTERM)
        assert dev.code() == 0


def test_saves_are_noticed(tmp_path: Path) -> None:
    """Saved, added, deleted; in folders below, but not in those that hold no code of the user's."""
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "one.py").write_text("1")
    (tmp_path / "deep" / "link").symlink_to(tmp_path)
    (tmp_path / "deep" / "gone.py").symlink_to(tmp_path / "nowhere")
    for hidden in (".git", "__pycache__", "environment"):
        (tmp_path / hidden).mkdir()
        (tmp_path / hidden / "no.py").write_text("1")
    (tmp_path / "environment" / "pyvenv.cfg").touch()
    (tmp_path / "notes.txt").touch()
    assert {Path(path).name for path in source_files(tmp_path)} == {"one.py", "gone.py"}
    assert source_files(tmp_path / "nowhere") == {}

    seen: SimpleQueue[list[str]] = SimpleQueue()
    over, began = Event(), Event()

    def follow() -> None:
        following = saves(tmp_path, over)
        began.set()
        for files in following:
            seen.put(files)

    thread = Thread(target=follow)
    thread.start()
    try:
        assert began.wait(DEADLINE)
        names = set()
        for number in range(1000):
            (tmp_path / "deep" / f"new{number}.py").write_text("2")
            if not seen.empty() or over.wait(0.01):
                names = {Path(path).name for path in seen.get(timeout=DEADLINE)}
                break
        assert names
        assert all(name.startswith("new") for name in names)
    finally:
        over.set()
        thread.join(DEADLINE)
    assert not thread.is_alive()


@pytest.mark.parametrize("option", ["-q", "-c"])
def test_options_reach_the_worker(windlass: Program, option: str) -> None:
    value = {"-q": "mail:3", "-c": "7"}[option]
    with windlass.start("dev", option, value, "--json") as dev:
        started = dev.wait_for('"concurrency"')
        assert {"-q": '"queues": {"mail": 3}', "-c": '"concurrency": 7'}[option] in started
        dev.signal(signal.SIGTERM)
        assert dev.code() == 0
