"""Files that an earlier release has made: they are brought up to date when they are opened, and keep their jobs."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import apsw
import pytest

from tests.places.place import SqlitePlace
from tests.store.builders import DAY, ids
from tests.store.sqlite.files import is_intact
from tests.store.stores import open_store
from windlass.core.state import State
from windlass.store.operations import queries, queues
from windlass.store.operations.upkeep.prune import FinishedLine, prune_oldest
from windlass.store.sqlite.schema import migrations

NOTED = """
    CREATE TABLE windlass_schema (version INTEGER PRIMARY KEY, name TEXT, applied_at INTEGER) STRICT;
    INSERT INTO windlass_schema VALUES (1, '001-engine.sql', 0);
"""
LARGE = '{"v":1,"args":["' + "x" * 10_000 + '"],"kwargs":{}}'
FIRST = files("windlass.store.sqlite.migrations").joinpath("001-engine.sql").read_text(encoding="utf-8")


@pytest.fixture
def place(tmp_path: Path) -> SqlitePlace:
    """A file as the first release has left it: "late" was enqueued first, and came due last."""
    place = SqlitePlace(tmp_path / "jobs.db")
    connection = apsw.Connection(str(place.path))
    connection.execute(NOTED)
    connection.execute(FIRST)
    connection.execute("INSERT INTO windlass_queue (name) VALUES ('default')")
    connection.execute("INSERT INTO windlass_queue (name, weight, changed_at, changed_by) VALUES ('mail', 9, 5, 'ada')")
    connection.executemany(
        "INSERT INTO windlass_job (id, task, queue, state, priority, payload, max_attempts, run_at, created_at)"
        " VALUES (?, 'greet', 'default', ?, ?, ?, 4, ?, 1)",
        [
            ("late", "pending", 0, "{}", 3),
            ("early", "pending", 0, LARGE, 1),
            ("urgent", "pending", 5, "{}", 4),
            ("ended", "completed", 0, "{}", 1),
        ],
    )
    connection.close()
    return place


def test_an_older_file_keeps_its_jobs_and_takes_the_new_order(place: SqlitePlace) -> None:
    """S8, B3."""
    with open_store(place) as store:
        assert ids(store.run(queries.peek("default", limit=10))) == ["urgent", "early", "late"]
        assert store.count() == 4
        assert store.run(queries.find(["early"]))["early"].payload == LARGE
        assert store.driver.migrate() == []
    assert is_intact(place)
    assert place.execute("SELECT version FROM windlass_schema ORDER BY version") == [
        (number,) for number, _, _ in migrations("windlass_")
    ]


def test_what_an_operator_changed_in_an_older_file_stays(place: SqlitePlace) -> None:
    """C10: which settings it was is not known, so all of them."""
    with open_store(place) as store:
        store.run(queues.ensure([queues.QueueSeed("mail", 3, 100), queues.QueueSeed("default", 3, 100)]))
        found = store.run(queues.settings())
    assert [(queue.weight, queue.max_length) for queue in found.values()] == [(3, 100), (9, None)]


def test_what_waits_for_others_in_an_older_file_still_does(tmp_path: Path) -> None:
    """A13, B36: the rows of both say since step 38 that there is an edge; retention looks for edges of no others."""
    place = SqlitePlace(tmp_path / "jobs.db")
    connection = apsw.Connection(str(place.path))
    connection.execute(NOTED)
    for number, name, text in migrations("windlass_")[:36]:
        connection.execute(text)
        if number > 1:
            connection.execute("INSERT INTO windlass_schema VALUES (?, ?, 0)", (number, name))
    connection.execute("INSERT INTO windlass_queue (name) VALUES ('default')")
    connection.executemany(
        "INSERT INTO windlass_job"
        " (id, state, gate, finished_at, task, queue, payload, max_attempts, run_at, created_at)"
        " VALUES (?, ?, ?, ?, 'greet', 'default', '{}', 4, 1, 1)",
        [("parent", "failed", None, 1), ("child", "blocked", "parents", None), ("other", "failed", None, 2)],
    )
    connection.execute("INSERT INTO windlass_edge (child, place, parent, policy, state) VALUES (2, 0, 1, 'wait', 1)")
    connection.close()
    with open_store(place) as store:
        pruned = store.run(prune_oldest(FinishedLine("default", State.FAILED), age=DAY, beyond=None))
        assert pruned is not None
        assert (pruned.count, store.count()) == (1, 2)
        assert sorted(store.run(queries.find(["parent", "child", "other"]))) == ["child", "parent"]
    assert is_intact(place)
