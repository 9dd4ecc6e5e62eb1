"""A call that had to wait for another judges by what it finds then, not by what it saw when it began."""

from __future__ import annotations

from tests.store.builders import RETURNED, TTL, ids, new_job, raised
from tests.store.postgres.database import Database
from tests.store.postgres.open_stores import Opening, threads
from tests.waiting import eventually
from windlass.core.outcome import Outcome
from windlass.core.state import State
from windlass.store.operations.rescue import Rescued


def ended_while_cancelled(opened: Opening, database: Database, outcome: Outcome) -> State:
    """Where a job goes whose ending waits for somebody who asks for its cancellation."""
    store = opened()
    job = store.claimed()
    with threads() as start, database.connected() as other:
        with other.transaction():
            other.execute("UPDATE windlass.running SET cancel_requested_at = 1 WHERE seq = %s", [job.seq])
            ending = start(lambda: store.end(job, outcome))
            eventually(lambda: bool(database.waiting()))
        assert not ending.result()
    return store.job(job.id).state


def test_a_request_to_cancel_that_an_ending_waited_for_decides_it(opened: Opening, database: Database) -> None:
    assert ended_while_cancelled(opened, database, raised()) is State.CANCELLED


def test_a_run_that_returned_stays_completed_when_it_waited_for_such_a_request(
    opened: Opening, database: Database
) -> None:
    assert ended_while_cancelled(opened, database, RETURNED) is State.COMPLETED


def test_an_ending_that_waited_for_its_own_repetition_is_not_written_twice(opened: Opening, database: Database) -> None:
    store = opened()
    job = store.claimed()
    with threads() as start, database.connected() as other:
        with other.transaction():
            other.execute("DELETE FROM windlass.running WHERE seq = %s", [job.seq])
            other.execute(
                "INSERT INTO windlass.finished (seq, fence, finished_at, attempt, crashes, rescues, state, queue)"
                " VALUES (%s, %s, 1, 1, 0, 0, 'completed', 'default')",
                [job.seq, job.fence],
            )
            ending = start(lambda: store.end(job))
            eventually(lambda: bool(database.waiting()))
        assert not ending.result(), "it was written under this fence"
    assert store.job(job.id).finished_at == 1


def test_a_claim_that_waited_for_a_rescue_of_its_lease_takes_nothing(opened: Opening, database: Database) -> None:
    """E3: a claim must not commit under a lease that was just rescued."""
    store = opened()
    worker = store.a_worker()
    store.enqueue(new_job("held"), new_job("waiting"))
    assert ids(worker.take(1)) == ["held"]
    with threads() as start, database.connected() as other:
        with other.transaction():
            other.execute("SELECT FROM windlass.lease WHERE id = %s FOR UPDATE", [worker.lease])
            other.execute("UPDATE windlass.lease SET state = 'lost' WHERE id = %s", [worker.lease])
            claim = start(lambda: worker.take(1))
            eventually(lambda: bool(database.waiting()))
        assert claim.result() == []
    assert store.rescue() == [Rescued("held", State.PENDING)]


def test_a_rescue_waits_for_a_claim_under_the_lease_and_the_next_one_frees_it(
    opened: Opening, database: Database
) -> None:
    """E3: nothing may stay under a lost lease."""
    store = opened()
    worker = store.a_worker()
    store.enqueue(new_job("held"), new_job("late"))
    worker.take(1)
    late = store.job("late")
    store.advance(TTL)
    with threads() as start, database.connected() as other:
        with other.transaction():
            other.execute("SELECT FROM windlass.lease WHERE id = %s FOR KEY SHARE", [worker.lease])
            other.execute("DELETE FROM windlass.ready WHERE seq = %s", [late.seq])
            other.execute(
                "INSERT INTO windlass.running"
                " (seq, fence, claimed_at, attempt, crashes, rescues, queue, lease, claim, worker)"
                " VALUES (%s, 1, 1, 0, 0, 0, 'default', %s, 'claim', 'worker')",
                [late.seq, worker.lease],
            )
            rescue = start(store.rescue)
            eventually(lambda: bool(database.waiting()))
        assert rescue.result() == [Rescued("held", State.PENDING)]
    assert store.rescue() == [Rescued("late", State.PENDING)]
