"""Plans that were made while tables were empty, as far as their statistics knew: they serve for a moment only."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

from tests.store.postgres.test_plans import Tables, tables
from windlass import clock
from windlass.store.postgres.connection import TimedConnection

LOOK = b"SELECT id FROM things WHERE id = $1"
CHILDREN = 1200


@pytest.fixture
def connection(postgres_dsn: str) -> Iterator[TimedConnection]:
    """One of ours, with a table that was empty when the statistics were made and has grown since."""
    with TimedConnection.reach(postgres_dsn, until=clock.monotonic() + 60) as connection:
        connection.prepare_statements()
        connection.execute(b"CREATE TEMPORARY TABLE things (id bigint PRIMARY KEY)")
        connection.execute(b"VACUUM things", prepare=False)
        look(connection)
        connection.execute(b"INSERT INTO things SELECT n FROM generate_series(1, 10000) AS n")
        yield connection


def look(connection: TimedConnection) -> None:
    connection.ask(LOOK, [1], lambda cursor: cursor.fetchall())


def way(connection: TimedConnection) -> str:
    """How the look is carried out."""
    [[name]] = connection.execute(
        b"SELECT name FROM pg_prepared_statements WHERE statement = $1", [LOOK.decode()]
    ).fetchall()
    [[explained]] = connection.execute(f"EXPLAIN (FORMAT JSON) EXECUTE {name} (1)".encode(), prepare=False).fetchall()
    [found] = msgspec.json.decode(explained)
    return str(found["Plan"]["Node Type"])


def test_a_plan_for_an_empty_table_is_made_anew_after_some_work(connection: TimedConnection) -> None:
    look(connection)
    assert way(connection) == "Seq Scan", "it serves until then"
    connection.plans_last = 0.0
    look(connection)
    assert way(connection).startswith(("Index", "Bitmap"))


def add_children(found: Tables, count: int) -> str:
    """A parent that has completed, and so many jobs that wait for it; how to look at the first 500 of them."""
    found.run(
        "INSERT INTO job (id, task, queue, waiting, payload, max_attempts, run_at, created_at)"
        f" SELECT 'id' || n, 'task', 'queue', 'blocked', 'x', 4, n, n FROM generate_series(0, {count}) AS n;"
        "INSERT INTO finished (seq, fence, finished_at, attempt, crashes, rescues, state, queue)"
        " SELECT min(seq), 1, 1, 1, 0, 0, 'completed', 'queue' FROM job;"
        "INSERT INTO blocked (seq, since, priority, queue, gate)"
        " SELECT seq, 1, 0, 'queue', 'parents' FROM job WHERE seq > (SELECT min(seq) FROM job);"
        "INSERT INTO edge (child, parent, place, state, policy)"
        " SELECT seq, (SELECT min(seq) FROM job), 0, 0, 'cancel' FROM blocked"
    )
    return "SELECT count(*) FROM settle_edges(ARRAY(SELECT seq FROM blocked ORDER BY seq LIMIT 500), 10, false)"


def empty(found: Tables) -> None:
    for table in ("edge", "ready", "blocked", "finished", "job"):
        found.run(f"DELETE FROM {table}")


def test_a_look_at_many_children_reads_no_table_for_each_pair_of_them(postgres_dsn: str) -> None:
    """B34: also with plans that were made while there were hardly any jobs."""
    with tables(postgres_dsn) as found:
        add_children(found, 60)
        empty(found)
        found.run("VACUUM ANALYZE job, ready, due, blocked, running, finished, edge, member")
        found.run(add_children(found, 4))
        empty(found)
        look_at_them = add_children(found, CHILDREN)
        found.run("BEGIN")
        [[settled]] = found.run(look_at_them).fetchall()
        read = "SELECT CAST(sum(seq_tup_read) AS bigint) FROM pg_stat_xact_user_tables"
        [[rows]] = found.run(read).fetchall()
        found.run("COMMIT")
    assert settled == 500
    assert rows < 2 * 500 * CHILDREN
