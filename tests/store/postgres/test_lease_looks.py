"""What a look at the leases costs beside many of them."""

from __future__ import annotations

import psycopg
import pytest

from tests.store.postgres.database import Database
from tests.store.postgres.open_stores import Opening
from windlass.store.operation import Call, Lane

MANY = 1_000
LEASES = """
    INSERT INTO windlass.lease (id, worker, state, ttl, renewed_at)
        SELECT 'lease' || n, 'worker' || n, 'open', 30000, extract(epoch FROM now()) * 1000
        FROM generate_series(1, %d) AS n;
    INSERT INTO windlass.running (seq, fence, claimed_at, attempt, crashes, rescues, queue, lease, claim, worker)
        SELECT n, 1, 1, 0, 0, 0, 'default', 'lease' || n, 'claim' || n, 'worker' || n FROM generate_series(1, %d) AS n;
    INSERT INTO windlass.queue (name) SELECT 'queue' || n FROM generate_series(1, 10 * %d) AS n;
    ANALYZE
"""


def pages_read(opened: Opening, database: Database, call: Call) -> int:
    """How many pages the server looks at for a call."""
    driver = opened().driver
    statement, values = driver._bound(call)  # type: ignore[attr-defined]
    with psycopg.connect(database.url, autocommit=True) as connection:
        connection.execute("SET plan_cache_mode = force_generic_plan")
        cursor = psycopg.RawCursor(connection)
        explained = b"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + statement.text
        cursor.execute(explained, values)
        cursor.execute(explained, values)  # the first one reads the catalogue
        [[[plan]]] = cursor.fetchall()
    return int(plan["Plan"]["Shared Hit Blocks"]) + int(plan["Plan"]["Shared Read Blocks"])


@pytest.mark.parametrize(
    "call",
    [
        Call("next_due", {"duty": "leader", "strays": False, "ending": ""}, Lane.READ),
        Call("control", {"worker": "worker1", "lease": "lease1"}, Lane.READ),
    ],
    ids=["next_due", "control"],
)
def test_what_each_worker_asks_does_not_depend_on_leases_and_queues(
    database: Database, opened: Opening, call: Call
) -> None:
    """3,000 pages for each look at 1,000 leases; and each worker read all queues once a second."""
    opened().driver.migrate()
    database.run(LEASES.replace("%d", str(MANY)))
    assert pages_read(opened, database, call) < 60
