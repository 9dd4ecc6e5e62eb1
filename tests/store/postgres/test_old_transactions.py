"""A transaction that stays open: dead rows cannot be removed, jobs go on all the same, and somebody is told."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from psycopg.sql import SQL, Literal

from tests.servers.postgres_node import postgres_node
from tests.store.builders import HOUR, ending, fresh, new_job
from tests.store.postgres.database import Database
from tests.store.postgres.open_stores import Opening
from tests.store.postgres.test_churn import pages
from tests.store.stores import Store, Worker
from tests.waiting import eventually
from windlass import Windlass
from windlass.insight.notices import notices
from windlass.store.operations.upkeep.vacuum import VacuumBlocker, vacuum, vacuum_blocker
from windlass.store.postgres.statements import statements
from windlass.worker.duties.vacuum import Vacuum

JOBS = 1000
ROUNDS = 12
FEW = 100
"""Pages that a claim of one job touches at the most where nothing lies in its way."""


@contextmanager
def old_transaction(database: Database, *, name: str = "report") -> Iterator[int]:
    """One that has looked at something and stays open until the block ends; the process id of its session."""
    with database.connected() as connection:
        connection.execute(SQL("SET application_name = {}").format(Literal(name)))
        connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        connection.execute("SELECT 1")
        yield connection.info.backend_pid
        connection.execute("COMMIT")  # a session that only hangs up ends a little later


def run_jobs(store: Store, worker: Worker) -> None:
    """Thousands of jobs pass through the tables; the leader sweeps behind them."""
    for _ in range(ROUNDS):
        store.enqueue(*(new_job(fresh("passing")) for _ in range(JOBS)))
        taken = worker.take(JOBS)
        assert len(taken) == JOBS, "jobs still move"
        assert not worker.cycle(endings=[ending(job) for job in taken]).refused
        store.run(vacuum())


def touched_by_a_claim(database: Database, store: Store, worker: Worker) -> int:
    """How many pages the server looks at to claim one job; the claim is undone."""
    store.enqueue(new_job(fresh("next")))
    claim = statements("windlass")["cycle"][0]
    values = {
        "completed": "[]",
        "requests": '[["default",1]]',
        "takes_suspect": 1,
        "lease": worker.lease,
        "token": fresh("token"),
        "worker": worker.name,
        "now": store.clock(),
    }
    arguments = SQL(", ").join(Literal(values[name]) for name in claim.names)
    with database.connected() as connection, connection.transaction(force_rollback=True):
        connection.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        connection.execute(b"PREPARE claim AS " + claim.text)
        explained = SQL("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE claim ({})").format(arguments)
        [[[found]]] = connection.execute(explained).fetchall()
        connection.execute("DEALLOCATE claim")
    plan: dict[str, Any] = found["Plan"]
    return int(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])


def test_claims_step_over_what_cannot_be_removed_once_and_are_quick_again_afterwards(
    opened: Opening, database: Database
) -> None:
    """G6: jobs go on; a claim looks at no page of their table twice, and at a few only when the transaction is over."""
    store = opened()
    worker = store.a_worker(ttl=HOUR)
    with old_transaction(database):
        run_jobs(store, worker)
        length = pages(database)["ready"]
        assert FEW < touched_by_a_claim(database, store, worker) <= length + FEW
    eventually(lambda: "ready" in store.run(vacuum()).tables)  # the server knows of dead rows a moment later
    assert touched_by_a_claim(database, store, worker) <= FEW


def leave_dead_rows(database: Database) -> None:
    """More than any short transaction keeps from being removed."""
    database.run("INSERT INTO windlass.ready SELECT n, n, 0, 'other' FROM generate_series(1, 15000) AS n")
    database.run("DELETE FROM windlass.ready WHERE queue = 'other'")
    eventually(lambda: of_ready_jobs(database, "n_dead_tup") >= 15000)


def of_ready_jobs(database: Database, figure: str) -> int:
    """What the server has counted of the table of ready jobs."""
    [(count,)] = database.run(f"SELECT {figure} FROM pg_stat_user_tables WHERE relname = 'ready'")
    return int(count)


class Machine:
    """A monotonic clock that the test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_the_leader_tells_of_it_once(database: Database, caplog: pytest.LogCaptureFixture) -> None:
    """G6: in its log and to whoever asks what was noticed, when it has been open for a minute."""
    with Windlass(database.url) as app, old_transaction(database) as pid:
        app.migrate()
        leave_dead_rows(database)
        machine = Machine()
        vacuum = Vacuum(session=app.client.session, by="me", monotonic=machine)
        for _ in range(3):
            vacuum.tick()
        assert "transaction" not in caplog.text
        for _ in range(3):
            machine.now += 60
            vacuum.tick()
        [told] = [record for record in caplog.records if record.name == "windlass.duties"]
        assert told.levelno == logging.WARNING
        assert f"process {pid} (report) has had a transaction open since 2" in told.getMessage()
        [noticed] = app.client.session.run(notices())
        assert (noticed.kind, noticed.detail["holder"]) == ("hindered", f"process {pid} (report)")
        assert f"process {pid} (report) had a transaction open for long" in noticed.text


def test_what_was_left_is_swept_when_the_transaction_has_ended(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """G6: until then vacuum is not tried again, for it would find nothing but work; nobody is told of a short one."""
    with Windlass(database.url) as app:
        app.migrate()
        machine = Machine()
        vacuum = Vacuum(session=app.client.session, by="me", monotonic=machine)
        with old_transaction(database):
            leave_dead_rows(database)
            vacuum.tick()
            swept = of_ready_jobs(database, "vacuum_count")
            vacuum.tick()
            assert of_ready_jobs(database, "vacuum_count") == swept
        machine.now += 60
        vacuum.tick()
        assert of_ready_jobs(database, "vacuum_count") == swept + 1
        assert of_ready_jobs(database, "n_dead_tup") == 0
        assert "transaction" not in caplog.text


def found(store: Store) -> VacuumBlocker:
    hindering = store.run(vacuum_blocker())
    assert hindering is not None
    return hindering


def test_one_that_has_only_written_is_found(database: Database, opened: Opening) -> None:
    """G6: such as one that enqueues inside a transaction and then waits for something else."""
    store = opened()
    store.a_job()
    with database.connected() as connection, connection.transaction():
        connection.execute("CREATE TABLE written ()")
        assert found(store).holder == f"process {connection.info.backend_pid} (test)"


def test_the_oldest_is_told_also_to_a_user_who_may_not_see_when_it_began(database: Database, opened: Opening) -> None:
    """G6."""
    with database.role("guest") as url, old_transaction(database, name="") as pid:
        store = opened(url)
        store.a_job()
        with old_transaction(database, name="younger"):
            hindering = found(store)
        assert (hindering.holder, hindering.since) == (f"process {pid} (postgres)", None)


def test_one_that_was_prepared_and_forgotten_is_told() -> None:
    """G6: it belongs to no session any more."""
    with postgres_node(settings={"max_prepared_transactions": "1"}) as node, Windlass(node.url) as app:
        app.migrate()
        with psycopg.connect(node.url, autocommit=True) as connection:
            for statement in ("BEGIN", "CREATE TABLE written ()", "PREPARE TRANSACTION 'order-7'"):
                connection.execute(statement)
        hindering = app.client.session.run(vacuum_blocker())
        assert hindering is not None
        assert hindering.holder == "prepared transaction 'order-7'"
