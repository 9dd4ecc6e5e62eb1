"""The page about the API is true."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

from tests.cli.program import JOBS, Program

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "http-api.md"


def test_its_table_of_routes_is_that_of_the_program() -> None:
    """``python scripts/routes.py`` writes it."""
    assert subprocess.run([sys.executable, ROOT / "scripts" / "routes.py", "--check"], check=False).returncode == 0


def test_its_requests_work(tmp_path: Path) -> None:
    requests = re.findall(r"^curl .*$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(requests) >= 8
    program = Program(tmp_path)
    program.write("jobs.py", JOBS)
    program.app.migrate()
    with program.start("web", "-A", "jobs", "--port", "0", "--json") as server:
        place = json.loads(server.wait_for('"address"'))["address"].removeprefix("http://")
        for request in requests:
            words = shlex.split(request.replace("localhost:8787", place))
            done = subprocess.run([*words, "-w", "\n%{http_code}"], capture_output=True, text=True, check=True)
            assert done.stdout.rpartition("\n")[2] in ("200", "201"), (request, done.stdout)
        server.signal(signal.SIGTERM)
        assert server.code() == 0
    program.app.close()
