"""raw_job names every column of the tables that it reads."""

from __future__ import annotations

import apsw

from tests.places.place import SqlitePlace
from tests.store.builders import new_job
from tests.store.stores import Store
from windlass.store.operations.diagnostics.raw_job import raw_job


def test_no_column_is_left_out(store: Store) -> None:
    """B24: a column that a migration adds is added to the call."""
    payload = '{"v":1,"args":["' + "x" * 20_000 + '"],"kwargs":{}}'
    worker = store.a_worker("w")
    store.enqueue(new_job("a", payload=payload, key="one"))
    worker.take(1)
    found = {record.place: set(record.fields) for record in store.run(raw_job("a"))}
    assert isinstance(store.place, SqlitePlace)
    connection = apsw.Connection(str(store.place.path))
    columns = {
        place: {name for (name,) in connection.execute(f"SELECT name FROM pragma_table_info('windlass_{place}')")}
        for place in ("job", "payload", "lease", "key")
    }
    connection.close()
    assert found == columns
