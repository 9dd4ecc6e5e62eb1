"""A process that stands still tells where; one that cannot is left alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.torture.diagnosis import diagnose, lines_about, stories
from tests.torture.fleet import ROOT
from windlass import Windlass

_STANDS_STILL = """
import sys
from pathlib import Path
from tests.torture.diagnosis import answer_in

def stand_still():
    print("ready", flush=True)
    sys.stdin.read()

if len(sys.argv) > 1:
    answer_in(Path(sys.argv[1]))
stand_still()
"""


def standing_still(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _STANDS_STILL, *arguments]
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def test_where_its_threads_are_and_what_was_logged_last(tmp_path: Path) -> None:
    (tmp_path / "alone.log").write_text("it went on\nand stopped\n")
    with standing_still(str(tmp_path)) as process:
        told = diagnose([process.pid], tmp_path)
        process.communicate()
    assert f"stacks of process {process.pid}" in told
    assert "in stand_still" in told
    assert told.endswith("--- end of alone.log\n    it went on\n    and stopped")


def test_what_the_logs_say_about_a_job(tmp_path: Path) -> None:
    (tmp_path / "alone.log").write_text("job a-1: lost\njob a-11: began\n")
    (tmp_path / "wide.log").write_text("rescued: a-1, b-2\n")
    told = lines_about(["a-1"], tmp_path)
    assert told == "--- lines about job a-1\n    alone: job a-1: lost\n    wide: rescued: a-1, b-2"


def test_a_process_that_would_die_of_the_question_is_not_asked(tmp_path: Path) -> None:
    with standing_still() as process:
        assert diagnose([process.pid], tmp_path) == ""
        process.communicate()
    assert process.returncode == 0


def test_what_the_store_knows_of_workers_and_of_jobs_that_do_not_run() -> None:
    with Windlass("sqlite:///:memory:") as app:
        app.enqueue_many([app.request("stuck", id="a-1")])
        told = stories(app)
    assert "--- jobs that have not ended\n    a-1 (default, pending): " in told
    assert told.endswith("no worker serves queue 'default'")
