"""Killed while the disk is at work, and power loss at that moment: nothing is damaged, nothing promised is lost.

Most of this is SQLite's work; ours is how it is set up, and that a call is one commit.
"""

from __future__ import annotations

from itertools import takewhile
from pathlib import Path

import pytest

from tests.faults.diskshim import Calls, Disk, Files
from tests.places.place import SqlitePlace
from tests.store.processes import running
from tests.store.sqlite.files import is_intact
from tests.store.sqlite.writing_process import BATCH
from tests.store.stores import open_store
from windlass.store.operations import queries

MOMENTS = {
    "a commit is half in the log": (Calls.WRITE, Files.LOG, 150),
    "a commit is in the log but not on the disk": (Calls.SYNC, Files.LOG, 2),
    "the first page goes into the file": (Calls.WRITE, Files.MAIN, 0),
    "the file is half up to date": (Calls.WRITE, Files.MAIN, 9),
    "the file is up to date but not on the disk": (Calls.SYNC, Files.MAIN, 0),
    "the log begins anew": (Calls.WRITE, Files.LOG_HEAD, 1),
}


def until_killed(url: str, disk: Disk) -> list[str]:
    """Write batches until the disk kills the process; those that were acknowledged."""
    with disk.under(), running("tests.store.sqlite.writing_process", url, "endless") as writer:
        acknowledged = writer.lines()
    assert disk.met == 1
    return acknowledged


def whole_batches(path: Path, names: list[str]) -> list[bool]:
    """Which of them are there; none of them may be there in part."""
    place = SqlitePlace(path)
    assert is_intact(place)
    with open_store(place) as store:
        found = store.run(queries.find([f"{name}.{part}" for name in names for part in range(BATCH)]))
        assert store.count() % BATCH == 0
    return [f"{name}.0" in found for name in names]


@pytest.fixture
def place(tmp_path: Path) -> SqlitePlace:
    """A file with its tables: all that the process writes are jobs."""
    place = SqlitePlace(tmp_path / "jobs.db")
    with open_store(place) as store:
        store.driver.migrate()
    return place


@pytest.mark.parametrize("moment", MOMENTS.values(), ids=MOMENTS)
def test_nothing_that_was_acknowledged_is_lost(
    place: SqlitePlace, disk: Disk, moment: tuple[Calls, Files, int]
) -> None:
    """A17, Q3, Q4: by default a returned enqueue survives the power loss (I1)."""
    disk.kill_at(*moment)
    acknowledged = until_killed(place.url, disk)
    assert acknowledged
    for path in disk.after_power_loss():
        assert all(whole_batches(path, acknowledged))


@pytest.mark.parametrize("moment", MOMENTS.values(), ids=MOMENTS)
def test_only_the_last_may_be_lost_with_less_durability(
    place: SqlitePlace, disk: Disk, moment: tuple[Calls, Files, int]
) -> None:
    """Q3, Q4: no damage, and none is lost that is older than one that is there; a killed process loses nothing."""
    disk.kill_at(*moment)
    acknowledged = until_killed(f"{place.url}?durability=normal", disk)
    for path in disk.after_power_loss():
        present = whole_batches(path, acknowledged)
        assert sum(present) == len(list(takewhile(bool, present)))
    assert all(whole_batches(place.path, acknowledged))
