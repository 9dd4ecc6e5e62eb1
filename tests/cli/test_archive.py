"""``windlass archive``: jobs that retention has put aside."""

from __future__ import annotations

import pytest

from tests.cli.program import Program
from windlass import Retention


@pytest.fixture
def shelf(windlass: Program) -> Program:
    """A completed and a failed job in the table, and a third in a folder."""
    app = windlass.app
    app.configure(archive="table", retention=Retention(completed="1ms", failed="1ms"))
    for id, task in [("a", "mail.send"), ("b", "load")]:
        _end(windlass, id, task)
    _clean(windlass, 2)
    app.configure(archive=windlass.folder / "files")
    _end(windlass, "c", "load")
    _clean(windlass, 1)
    return windlass


def _end(windlass: Program, id: str, task: str) -> None:
    app = windlass.app
    app.enqueue_many([app.request(task, [id], kwargs={"password": "hush"}, id=id, attempts=1)])
    [claimed] = app.claim()
    if task == "load":
        claimed.fail("no route to host")
    else:
        claimed.complete()


def _clean(windlass: Program, count: int) -> None:
    archived = 0
    while archived < count:  # they have to be a millisecond old
        archived += windlass.app.clean().archived


def test_archived_jobs_are_listed_and_shown(shelf: Program) -> None:
    """A13, B24: from the table, and from files."""
    listed, failed, files, page, shown, missing = shelf.many(
        ["archive", "list"],
        ["archive", "list", "--state", "failed", "--since", "1h", "--json"],
        ["archive", "list", "--folder", "files", "--json"],
        ["archive", "list", "--limit", "1"],
        ["archive", "show", "b", "--json"],
        ["archive", "show", "c"],
    )
    rows = listed.out.splitlines()
    assert rows[0].split() == ["ID", "TASK", "QUEUE", "STATE", "FINISHED", "NOTE"]
    assert sorted(row.split()[0] for row in rows[1:]) == ["a", "b"]
    assert max(map(len, rows)) <= 80
    assert "error: no route to host (attempts)" in listed.out
    assert [job["id"] for job in failed.json["jobs"]] == ["b"]
    assert (failed.json["next"], failed.json["damaged"]) == (None, 0)
    assert [job["id"] for job in files.json["jobs"]] == ["c"]
    assert "more with --cursor 20" in page.out
    assert (shown.json["id"], shown.json["errors"][0]["message"]) == ("b", "no route to host")
    assert "hush" not in shown.out
    assert missing.is_error(1, "there is no job 'c' in the archive")


def test_one_is_restored(shelf: Program) -> None:
    """A13: out of the table, and out of files; in the audit."""
    told, again, file, audit = shelf.many(
        ["archive", "restore", "b"],
        ["archive", "restore", "b"],
        ["archive", "restore", "c", "--folder", "files", "--json"],
        ["audit", "list", "--json"],
    )
    assert told.out == "restored job b, failed, in queue default\n"
    assert again.is_error(1, "there is no job 'b' in the archive")
    assert (file.json["id"], file.json["state"]) == ("c", "failed")
    assert [(entry["action"], entry["target"]) for entry in audit.json["entries"]] == [
        ("archive restore", "c"),
        ("archive restore", "b"),
    ]
    assert {job.id for job in shelf.app.jobs()} == {"b", "c"}


def test_wrong_use_is_told(shelf: Program) -> None:
    cursor, state, folder = shelf.many(
        ["archive", "list", "--cursor", "7"],
        ["archive", "list", "--state", "pending"],
        ["archive", "list", "--folder", "nowhere"],
    )
    assert cursor.is_error(2, "cursor must be the next of the page before")
    assert state.is_error(2, "--state")
    assert folder.is_error(2, "cannot be read")
