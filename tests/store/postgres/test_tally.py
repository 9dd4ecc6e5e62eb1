"""How many finished jobs there are is kept: counting them reads few pages, and the sum is exact whatever happens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.places.raw_postgres import RawPostgres
from tests.store.builders import RETURNED, ending, fresh, new_job, raised
from tests.store.postgres.database import Database
from tests.store.postgres.open_stores import Opening
from tests.store.stores import Store
from windlass.core.state import State
from windlass.store.operation import Call
from windlass.store.operations import jobs, queries, transfer
from windlass.store.postgres.schema import all_steps, script
from windlass.store.postgres.statements import statements

MANY = 5_000
FEW = 10
"""Pages; the finished jobs of this test lie on more than a hundred."""


def finish(store: Store, number: int, *, queue: str = "default") -> None:
    """Let so many jobs complete."""
    worker = store.a_worker()
    store.enqueue(*(new_job(fresh("done"), queue=queue) for _ in range(number)))
    assert not worker.cycle(endings=[ending(job) for job in worker.take(number, queue=queue)]).refused


def counted(database: Database) -> dict[tuple[str, str], int]:
    """What there is indeed."""
    rows = database.run("SELECT queue, state, count(*) FROM windlass.finished GROUP BY queue, state")
    return {(queue, state): number for queue, state, number in rows}


def kept(store: Store) -> dict[tuple[str, str], int]:
    """What the store says of finished jobs."""
    return {
        (queue, str(state)): number
        for queue, states in store.run(queries.counts()).items()
        for state, number in states.items()
        if state in (State.COMPLETED, State.FAILED, State.CANCELLED)
    }


def pages_read(database: Database) -> int:
    """How many pages of finished jobs and of their tally a count looks at, as a prepared statement."""
    [count] = statements("windlass")["counts"]
    with database.connected() as connection:
        connection.execute("SET plan_cache_mode = force_generic_plan")
        connection.execute(b"PREPARE counts AS " + count.text)
        [[[found]]] = connection.execute("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE counts (NULL)").fetchall()
    return sum(
        part["Shared Hit Blocks"] + part["Shared Read Blocks"]
        for part in parts(found["Plan"])
        if part.get("Relation Name") in ("finished", "tally")
    )


def parts(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for part in plan.get("Plans", ()):
        yield from parts(part)


def test_a_count_reads_no_more_beside_many_finished_jobs(database: Database, opened: Opening) -> None:
    """A5."""
    store = opened()
    for _ in range(5):
        finish(store, MANY // 5)
    database.run("VACUUM ANALYZE")
    assert kept(store) == {("default", "completed"): MANY}
    assert pages_read(database) < FEW


def _retry(store: Store) -> None:
    failed = store.finished(raised(), new_job(attempts=1))
    assert store.run(jobs.retry([failed.seq], by="me")).seqs == [failed.seq]


def _delete(store: Store) -> None:
    done = store.finished()
    assert store.run(jobs.delete([(done.seq, done.id)])) == [done.seq]


def _cancel(store: Store) -> None:
    waiting = [store.a_job(), store.a_job(new_job(queue="other"))]
    assert len(store.run(jobs.cancel([job.seq for job in waiting], by="me"))) == 2


def _rescue(store: Store) -> None:
    worker = store.a_worker(ttl=1)
    worker.mark(store.claimed(new_job(attempts=1), by=worker))
    store.advance(10)
    assert [job.state for job in store.rescue()] == [State.FAILED]


def _import(store: Store) -> None:
    load = store.run(transfer.export([store.finished().id, store.finished(raised(), new_job(attempts=1)).id]))
    store.run(jobs.delete([(job.seq, job.id) for job in load.jobs]))
    assert store.run(transfer.store_batch(load)) == 2


def _fail_one(store: Store) -> None:
    """Beside others that return, in one cycle."""
    worker = store.a_worker()
    store.enqueue(*(new_job(attempts=1) for _ in range(3)))
    [bad, *good] = worker.take()
    worker.cycle(endings=[ending(bad, raised()), *(ending(job, RETURNED) for job in good)])


@pytest.mark.parametrize(
    "deed", [_cancel, _delete, _fail_one, _import, _rescue, _retry], ids=lambda deed: deed.__name__
)
def test_the_tally_is_exact(database: Database, opened: Opening, deed: Callable[[Store], None]) -> None:
    """A5: whatever lets jobs finish or go."""
    store = opened()
    finish(store, 3)
    finish(store, 2, queue="other")
    deed(store)
    assert kept(store) == counted(database)
    store.driver.execute(Call("tidy_leftovers", {"limit": 10}))
    assert kept(store) == counted(database)
    RawPostgres(database.url, "windlass").check()


def test_rows_of_the_tally_are_added_up(database: Database, opened: Opening) -> None:
    store = opened()
    for _ in range(5):
        finish(store, 2)
    store.driver.execute(Call("tidy_leftovers", {"limit": 10}))
    assert database.run("SELECT queue, state, number FROM windlass.tally") == [("default", "completed", 10)]
    place = database.run("SELECT ctid FROM windlass.tally")
    store.driver.execute(Call("tidy_leftovers", {"limit": 10}))
    assert database.run("SELECT ctid FROM windlass.tally") == place, "a row alone stays as it is"


@pytest.mark.parametrize("statement", ["DELETE FROM windlass.finished WHERE seq <= 2", "TRUNCATE windlass.finished"])
def test_what_was_deleted_by_hand_is_missed(database: Database, opened: Opening, statement: str) -> None:
    store = opened()
    finish(store, 5)
    database.run(statement)
    assert kept(store) == counted(database)


def finish_as_before(database: Database, *, seq: int) -> None:
    """Let a job fail as releases do that do not know of the tally."""
    database.run(
        "INSERT INTO windlass.finished (seq, fence, finished_at, attempt, crashes, rescues, state, queue)"
        " VALUES (%s, 1, 0, 1, 0, 0, 'failed', 'default')",
        seq,
    )


def test_what_an_older_release_has_finished_is_in_the_tally(database: Database, opened: Opening) -> None:
    before = tuple(step for step in all_steps() if not step.name.endswith("-tally.sql"))[:2]
    database.run(script(before, "windlass", is_missing=True))
    for seq in (1, 2, 3):
        finish_as_before(database, seq=seq)
    store = opened()
    store.driver.migrate()
    assert kept(store) == {("default", "failed"): 3}
    assert database.run("SELECT number FROM windlass.tally") == [(3,)]
    database.run("DELETE FROM windlass.finished WHERE seq = 1")
    assert kept(store) == {("default", "failed"): 2}


def test_what_an_older_release_finishes_beside_us_is_counted(database: Database, opened: Opening) -> None:
    """It goes on beside newer ones, and does not know of the tally."""
    store = opened()
    finish(store, 2)
    finish_as_before(database, seq=1000)
    assert kept(store) == counted(database) == {("default", "completed"): 2, ("default", "failed"): 1}
    database.run("DELETE FROM windlass.finished WHERE seq = 1000")
    assert kept(store) == counted(database)
