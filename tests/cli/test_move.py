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
        first.wait_for("copied 500 ")
        first.signal(signal.SIGKILL)
        assert first.code() == -signal.SIGKILL
    second = windlass("move", windlass.url, "sqlite:///new.db", "--json")
    assert second.code == 0, second
    assert second.json["jobs"] == 5_000
    assert 0 < second.json["added"] < 5_000
    assert len(second.json["checksum"]) == 64
    assert (second.json["from_namespace"], second.json["to_namespace"]) == ("windlass", "windlass")
    with closing(Windlass(f"sqlite:///{windlass.folder / 'new.db'}")) as new:
        assert new.counts()[State.PENDING] == 5_000


def test_a_move_that_is_interrupted_says_how_it_left_the_stores(windlass: Program) -> None:
    for _ in range(4):  # so many that a signal comes in time
        windlass.app.enqueue_many([windlass.app.request("mail.welcome", [number]) for number in range(10_000)])
    with windlass.start("move", windlass.url, "sqlite:///new.db") as first:
        first.wait_for("copied 4,000 ")
        first.signal(signal.SIGINT)
        said = first.wait_for("windlass: error: interrupted")
        assert first.code() == 130
    assert f"{windlass.app.store} still has its jobs, everything there stays paused" in said
    assert "the same command goes on" in said
    assert windlass.app.overview().everywhere.paused_by == "windlass move"
    assert windlass("move", windlass.url, "sqlite:///new.db", "--json").json["jobs"] == 40_000


def test_a_move_that_fails_in_the_middle_says_how_it_left_the_stores(windlass: Program) -> None:
    windlass.app.enqueue_many([windlass.app.request("mail.welcome", [1], id="mine")])
    with closing(Windlass(f"sqlite:///{windlass.folder / 'new.db'}")) as new:
        new.enqueue_many([new.request("mail.welcome", [2], id="mine")])
    failed = windlass("move", windlass.url, "sqlite:///new.db")
    assert failed.code == 1
    last = failed.error.splitlines()[-1]
    assert "job 'mine' is not the same" in last
    assert last.endswith(f"; {windlass.app.store} still has its jobs, everything there stays paused")


def test_a_store_in_use_is_an_error_that_names_the_worker(windlass: Program) -> None:
    windlass.app.enqueue("mail.welcome", 1)
    with windlass.app.worker(["letters"]) as worker:
        assert windlass("move", windlass.url, "sqlite:///new.db").is_error(1, worker.name, "stop all workers")
        assert windlass("move", "sqlite:///new.db", windlass.url).is_error(1, "there is no store")
    assert windlass("move", windlass.url, "sqlite:///new.db").code == 0


def test_a_source_that_was_mistyped_is_an_error_and_leaves_no_file(windlass: Program) -> None:
    windlass.app.enqueue("mail.welcome", 1)
    answer = windlass("move", "sqlite:///typo.db", "sqlite:///new.db")
    assert answer.is_error(1, f"there is no store at {windlass.folder / 'typo.db'}", "'windlass'", "--namespace")
    answer = windlass("move", windlass.url, "sqlite:///new.db", "--namespace", "shop")
    assert answer.is_error(1, windlass.app.store, "'shop'", "--namespace")
    assert sorted(path.name for path in windlass.folder.glob("*.db")) == ["windlass.db"]
    assert windlass.app.overview().everywhere.paused_by is None


def test_namespaces_that_are_not_the_usual_one_are_named(windlass: Program) -> None:
    windlass.app.enqueue("mail.welcome", 1)
    there = windlass("move", windlass.url, "sqlite:///new.db", "--to-namespace", "shop").out
    assert f"of {windlass.app.store} are at {windlass.folder / 'new.db'} (namespace 'shop'); 1 of the jobs" in there
    on = windlass("move", "sqlite:///new.db", "sqlite:///newer.db", "--namespace", "shop").out
    assert f"are at {windlass.folder / 'newer.db'} (namespace 'shop')" in on


def test_from_and_to_must_differ(windlass: Program) -> None:
    windlass.app.enqueue("mail.welcome", 1)
    assert windlass("move", windlass.url, windlass.url).is_error(2, "same store")
    assert windlass("move", windlass.url, "sqlite:///windlass.db").is_error(2, "same store")
    assert windlass("move", windlass.url, windlass.url, "--to-namespace", "other").code == 0


def test_an_url_without_a_store_is_an_error(windlass: Program) -> None:
    assert windlass("move", windlass.url, "mysql://nowhere").is_error(2, "mysql")
