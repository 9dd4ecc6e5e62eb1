"""Many processes write to one file, and some of them are killed."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from tests.places.place import SqlitePlace
from tests.store.processes import running
from tests.store.sqlite.files import is_intact
from tests.store.sqlite.writing_process import BATCH
from tests.store.stores import open_store
from windlass.store.operations import queries


@pytest.mark.parametrize("batches", [1, 7, 40])
def test_a_killed_writer_leaves_an_intact_file(place: SqlitePlace, batches: int) -> None:
    """A15, A17, B4, Q4: nothing acknowledged is lost, no batch is half there, the file is not damaged."""
    acknowledged: list[str] = []
    for _ in range(2):
        with running("tests.store.sqlite.writing_process", place.url, "endless") as writer:
            acknowledged += [writer.line() for _ in range(batches)]
            writer.kill()
            acknowledged += writer.lines()
        assert is_intact(place)
        with open_store(place) as store:
            ids = [f"{name}.{part}" for name in acknowledged for part in range(BATCH)]
            assert len(store.run(queries.find(ids))) == len(ids)
            assert store.count() % BATCH == 0


def test_no_lock_error_reaches_anybody(place: SqlitePlace) -> None:
    """A15: 4 processes × 4 threads writing, shortened from a minute to moments."""
    with ExitStack() as stack:
        writers = [
            stack.enter_context(running("tests.store.sqlite.writing_process", place.url, "1.5")) for _ in range(4)
        ]
        told = [writer.line().split(maxsplit=1) for writer in writers]
    assert [errors for _, *errors in told] == [[]] * 4
    with open_store(place) as store:
        assert store.count() == BATCH * sum(int(count) for count, *_ in told)
    assert is_intact(place)
