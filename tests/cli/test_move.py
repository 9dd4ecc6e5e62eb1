"""``windlass move``."""

from __future__ import annotations

import signal
from contextlib import closing

from tests.cli.program import Program
from windlass import State, Windlass


def test_a_move_shows_how_far_it_is_and_what_it_did(windlass: Program) -> None:
    windlass.app.enqueue_many([windlass.app.request("mail.welcome", [number]) for number in range(700)])
    answer = windlass("move", windlass.url, "sqlite:///new.db")
    assert answer.code == 0
    assert answer.out.startswith("700 jobs and ")
    assert "still has its jobs; everything there is paused" in answer.out
    assert "copied 700 of 700 jobs" in answer.error
    assert "compared 700 of 700 jobs" in answer.error


def test_a_move_that_was_killed_is_repeated_without_doubles(windlass: Program) -> None:
    """The second run adds what the first has not brought, and compares all of it."""
    windlass.app.enqueue_many([windlass.app.request("mail.welcome", [number]) for number in range(5_000)])
    with windlass.start("move", windlass.url, "sqlite:///new.db") as first:
        first.wait_for("copied ")
        first.signal(signal.SIGKILL)
        assert first.code() == -signal.SIGKILL
    second = windlass("move", windlass.url, "sqlite:///new.db", "--json")
    assert second.code == 0, second
    assert second.json["jobs"] == 5_000
    assert 0 < second.json["added"] < 5_000
    assert len(second.json["checksum"]) == 64
    with closing(Windlass(f"sqlite:///{windlass.folder / 'new.db'}")) as new:
        assert new.counts()[State.PENDING] == 5_000


def test_a_source_in_use_is_an_error_that_names_the_worker(windlass: Program) -> None:
    with windlass.app.worker(["mail"]) as worker:
        answer = windlass("move", windlass.url, "sqlite:///new.db")
    assert answer.is_error(2, worker.name, "stop all workers")


def test_from_and_to_must_differ(windlass: Program) -> None:
    assert windlass("move", windlass.url, windlass.url).is_error(2, "same store")
    assert windlass("move", windlass.url, windlass.url, "--to-namespace", "other").code == 0


def test_an_url_without_a_store_is_an_error(windlass: Program) -> None:
    assert windlass("move", windlass.url, "mysql://nowhere").is_error(2, "mysql")
