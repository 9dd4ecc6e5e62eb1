"""A backup of a file that is in use."""

from __future__ import annotations

from tests.places.place import SqlitePlace
from tests.store.builders import new_job
from tests.store.processes import running
from tests.store.sqlite.files import beside, is_intact
from tests.store.sqlite.writing_process import BATCH
from tests.store.stores import open_store
from windlass.store.operations import queries


def test_a_backup_of_a_file_in_use_is_a_whole_store(place: SqlitePlace) -> None:
    """Q5: ``VACUUM INTO``, as the documentation has it, while somebody writes all the time."""
    copy = beside(place, "backup.db")
    with running("tests.store.sqlite.writing_process", place.url, "endless") as writer:
        acknowledged = [writer.line() for _ in range(20)]
        place.execute("VACUUM INTO ?", (str(copy.path),))
        assert writer.line()
    assert is_intact(copy)
    with open_store(copy) as store:
        ids = [f"{name}.{part}" for name in acknowledged for part in range(BATCH)]
        assert len(store.run(queries.find(ids))) == len(ids)
        assert store.count() % BATCH == 0
        store.enqueue(new_job())
