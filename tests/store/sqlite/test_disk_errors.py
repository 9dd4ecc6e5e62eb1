"""A disk that fails: calls are refused with a clear word, nothing is half done, and all works when it is well again."""

from __future__ import annotations

from errno import EIO, ENOSPC

import pytest

from tests.faults.diskshim import Calls, Disk, Files
from tests.places.place import SqlitePlace
from tests.store.processes import running
from tests.store.sqlite.files import is_intact
from tests.store.sqlite.writing_process import BATCH, ask_to_write
from tests.store.stores import open_store

REFUSED = {
    "no room for the index": (Calls.WRITE | Calls.TRUNCATE, Files.INDEX, ENOSPC, "could not be read or written"),
    "no room for the log": (Calls.WRITE, Files.LOG, ENOSPC, "the disk is full"),
    "the log cannot be written": (Calls.WRITE, Files.LOG, EIO, "could not be read or written"),
    "the log cannot be synchronised": (Calls.SYNC, Files.LOG, EIO, "could not be read or written"),
}
UNNOTICED = {
    "no room for the file": (Calls.WRITE, Files.MAIN, ENOSPC),
    "the file cannot be written": (Calls.WRITE, Files.MAIN, EIO),
    "the file cannot be synchronised": (Calls.SYNC, Files.MAIN, EIO),
}


def batches(place: SqlitePlace) -> float:
    with open_store(place) as store:
        return store.count() / BATCH


@pytest.mark.parametrize("trouble", REFUSED.values(), ids=REFUSED)
def test_a_call_that_the_disk_refuses_leaves_nothing(
    place: SqlitePlace, disk: Disk, trouble: tuple[Calls, Files, int, str]
) -> None:
    """Q2: StoreUnavailable names the file; nothing is half done, and the same process goes on afterwards (I8, I10)."""
    call, file, error, told = trouble
    with open_store(place) as store:
        store.driver.migrate()
    with disk.under(), running("tests.store.sqlite.writing_process", place.url, "asked") as writer:
        disk.fail(call, file, error)
        for _ in range(3):
            assert ask_to_write(writer).startswith(f"{place.path}: {told}")
        assert disk.met >= 3
        disk.heal()
        assert [ask_to_write(writer), ask_to_write(writer)] == ["written"] * 2
        assert writer.end() == 0
    assert is_intact(place)
    assert batches(place) == 2


@pytest.mark.parametrize("trouble", UNNOTICED.values(), ids=UNNOTICED)
def test_a_log_that_cannot_be_brought_into_the_file_is_kept(
    place: SqlitePlace, disk: Disk, trouble: tuple[Calls, Files, int]
) -> None:
    """Q2: what is in the log is safe; it gets into the file later."""
    call, file, error = trouble
    with open_store(place) as store:
        store.driver.migrate()
    with disk.under(), running("tests.store.sqlite.writing_process", place.url, "asked") as writer:
        disk.fail(call, file, error)
        written = 0
        while not disk.met:
            assert ask_to_write(writer) == "written"
            written += 1
        disk.heal()
        assert ask_to_write(writer) == "written"
        assert writer.end() == 0
    assert is_intact(place)
    assert batches(place) == written + 1
