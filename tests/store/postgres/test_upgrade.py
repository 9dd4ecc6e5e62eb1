"""Stores that an earlier release has made: `migrate` brings them up to date, and they keep their jobs."""

from __future__ import annotations

import pytest

from tests.store.builders import ids
from tests.store.postgres.database import Database
from tests.store.postgres.open_stores import Opening
from windlass.core.state import State
from windlass.store.operations import jobs, queries, queues
from windlass.store.postgres.schema import all_steps

JOBS = """
    INSERT INTO windlass.queue (name) VALUES ('default');
    INSERT INTO windlass.queue (name, weight, changed_at, changed_by) VALUES ('mail', 9, 5, 'ada');
    INSERT INTO windlass.job (id, task, queue, waiting, priority, payload, max_attempts, run_at, created_at) VALUES
        ('late', 'greet', 'default', 'pending', 0, '{}', 4, 3, 1),
        ('early', 'greet', 'default', 'pending', 0, '{}', 4, 1, 1),
        ('urgent', 'greet', 'default', 'pending', 5, '{}', 4, 4, 1),
        ('odd', 'greet', 'default', 'pending', 0, '{}', 4, 5, 9),
        ('to come', 'greet', 'default', 'scheduled', 0, '{}', 4, 9000000000000, 1);
    INSERT INTO windlass.ready (seq, since, priority, queue)
        SELECT seq, greatest(created_at, run_at), priority, queue FROM windlass.job WHERE waiting = 'pending';
    INSERT INTO windlass.due (seq, run_at, state, queue)
        SELECT seq, run_at, waiting, queue FROM windlass.job WHERE waiting = 'scheduled';
"""


@pytest.fixture
def first(database: Database) -> None:
    """A store as the first release has left it: "late" was enqueued first, and came due last."""
    database.run("CREATE SCHEMA windlass")
    database.run(all_steps()[0].sql("windlass"))
    database.run(JOBS)


@pytest.mark.usefixtures("first")
def test_an_older_store_keeps_its_jobs_and_takes_the_new_order(opened: Opening) -> None:
    """S8, B3."""
    store = opened()
    assert store.driver.migrate() == [step.name for step in all_steps()[1:]]
    assert ids(store.run(queries.peek("default", limit=10))) == ["urgent", "early", "late", "odd"]
    assert store.count() == 5


@pytest.mark.usefixtures("first")
def test_jobs_of_an_older_store_are_found_where_they_wait(opened: Opening) -> None:
    """A row of ready is found by the time of its job, whatever release has written it."""
    store = opened()
    store.driver.migrate()
    waiting = {id: store.job(id).seq for id in ("late", "early", "urgent", "odd", "to come")}
    assert set(store.run(jobs.cancel(list(waiting.values()), by="me")).values()) == {State.CANCELLED}


@pytest.mark.usefixtures("first")
def test_what_an_operator_changed_in_an_older_store_stays(opened: Opening) -> None:
    """C10: which settings it was is not known, so all of them."""
    store = opened()
    store.driver.migrate()
    store.run(queues.ensure([queues.QueueSeed("mail", 3, 100), queues.QueueSeed("default", 3, 100)]))
    found = store.run(queues.settings())
    assert [(queue.weight, queue.max_length) for queue in found.values()] == [(3, 100), (9, None)]
