"""Killed while a new file is made: the next who opens it goes on from there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.diskshim import Calls, Disk, Files
from tests.places.place import SqlitePlace
from tests.store.builders import new_job
from tests.store.processes import running
from tests.store.sqlite.files import is_intact
from tests.store.stores import open_store

MOMENTS = {
    "the file is half made": (Calls.WRITE, Files.MAIN, 0),
    "the file is made but not on the disk": (Calls.SYNC, Files.MAIN, 0),
    "the index is half made": (Calls.WRITE, Files.INDEX, 0),
    "the log is half made": (Calls.WRITE, Files.LOG_HEAD, 0),
    "the tables are half made": (Calls.WRITE, Files.LOG, 15),
    "the tables are made but not on the disk": (Calls.SYNC, Files.LOG, 1),
}


@pytest.fixture
def place(tmp_path: Path) -> SqlitePlace:
    return SqlitePlace(tmp_path / "jobs.db")


@pytest.mark.parametrize("moment", MOMENTS.values(), ids=MOMENTS)
def test_a_file_that_was_half_made_can_be_used(
    place: SqlitePlace, disk: Disk, moment: tuple[Calls, Files, int]
) -> None:
    """Q4: killed in a migration: all of its steps are taken, or none."""
    disk.kill_at(*moment)
    with disk.under(), running("tests.store.sqlite.writing_process", place.url, "asked") as writer:
        writer.say("write")
        assert writer.lines() == []
    assert disk.met == 1
    assert is_intact(place)
    with open_store(place) as store:
        assert store.count() == 0
        store.enqueue(new_job())
        assert store.count() == 1
    assert is_intact(place)
