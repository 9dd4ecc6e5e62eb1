"""Working folders with an application's jobs in them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.program import JOBS, Program


@pytest.fixture
def windlass(tmp_path: Path) -> Iterator[Program]:
    """The program in a folder of its own, with a jobs.py and an empty store."""
    program = Program(tmp_path)
    program.write("jobs.py", JOBS)
    program.app.migrate()
    yield program
    program.app.close()


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """The same with jobs in several states, for tests that only look."""
    program = Program(tmp_path_factory.mktemp("shop"))
    program.write("jobs.py", JOBS)
    app = program.app
    login = {"user": "ann", "login": [{"Password": "hunter2", "api_key": 7}]}
    app.enqueue_many(
        [
            app.request(
                "mail.welcome", [42, "hunter2"], queue="mail", id="done", meta={"tenant": "a", "auth-token": "t0p"}
            ),
            app.request("broken", ["bad \x1b[31mred\x07 \u202enote"], id="dead", attempts=1, tags=("vip",)),
            app.request("mail.welcome", [], {"user_id": 1, "extra": login}, id="secret", delay="1h"),
            app.request("mail.welcome", [7], queue="letters", id="low"),
            app.request("mail.welcome", [8], queue="letters", id="high", priority=9),
        ]
    )
    assert program("worker", "--burst", "-q", "mail,default").code == 0
    yield program
    app.close()
