"""The tables through which every job passes stay small, however many jobs have passed."""

from __future__ import annotations

from collections.abc import Callable

from tests.store.builders import HOUR, SECOND, ending, fresh, new_job
from tests.store.cleaning import prunable
from tests.store.postgres.database import Database
from tests.store.postgres.open_stores import Opening
from tests.store.stores import Store
from windlass.core.state import State
from windlass.store.operation import Call, Lane
from windlass.store.operations import jobs

ROUNDS = 30
JOBS = 500
BOUND = 150
"""Pages; 15,000 jobs leave three times as much behind in the table of running jobs alone."""


def pages(database: Database) -> dict[str, int]:
    """How long the tables are, with their indexes."""
    found = database.run(
        "SELECT relname, (pg_table_size(oid) + pg_indexes_size(oid)) / 8192 FROM pg_class"
        " WHERE relnamespace = 'windlass'::regnamespace AND relname IN ('ready', 'running', 'due')"
    )
    return dict(found)


def churn(store: Store, after_round: Callable[[], None]) -> None:
    """Thousands of jobs, each stored, claimed, completed and let go of."""
    worker = store.a_worker(ttl=HOUR)
    for _ in range(ROUNDS):
        store.enqueue(*(new_job(fresh("churned")) for _ in range(JOBS)))
        worker.cycle(endings=[ending(job) for job in worker.take(JOBS)])
        store.advance(SECOND)
        over = store.run(prunable(queue="default", state=State.COMPLETED, age=1, keep=0))
        assert len(store.run(jobs.delete([(job.seq, job.id) for job in over]))) == JOBS
        after_round()


def bloated_tables(store: Store) -> list[str]:
    return [table for table, _, _ in store.driver.execute(Call("bloated_tables", {}, Lane.READ))["bloated_tables"]]


def vacuum(store: Store) -> None:
    """What the duty does once in a while."""
    for table in bloated_tables(store):
        store.driver.execute(Call(f"vacuum_{table}", {}))


def test_the_hot_tables_stay_small_while_they_are_vacuumed(opened: Opening, database: Database) -> None:
    """G6: with an open transaction in the way, see test_old_transactions.py."""
    store = opened()
    churn(store, lambda: vacuum(store))
    assert max(pages(database).values()) < BOUND


def test_without_that_they_grow(opened: Opening, database: Database) -> None:
    """What the test above would see if the duty did nothing."""
    store = opened()
    store.driver.migrate()
    database.run("ALTER TABLE windlass.running SET (autovacuum_enabled = off)")  # the server's own may come by
    churn(store, lambda: None)
    assert pages(database)["running"] > 2 * BOUND


def test_small_tables_are_left_alone(opened: Opening) -> None:
    store = opened()
    store.claimed()
    assert bloated_tables(store) == []


def test_a_user_who_does_not_own_the_tables_vacuums_nothing(opened: Opening, database: Database) -> None:
    store = opened()
    store.a_job()
    database.run("INSERT INTO windlass.ready SELECT n, n, 0, 'default' FROM generate_series(1000, 20000) AS n")
    assert bloated_tables(store) == ["ready"]
    with database.role("guest") as url:
        database.run("GRANT USAGE ON SCHEMA windlass TO guest")
        database.run("GRANT ALL ON ALL TABLES IN SCHEMA windlass TO guest")
        assert bloated_tables(opened(url)) == []
