"""A job that another transaction is moving: whoever wants it too waits, and then finds it where it has gone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import pytest
from psycopg import RawCursor

from tests.store.builders import HOUR, INTERRUPTED, RETURNED, ending, fresh, new_job
from tests.store.postgres.database import Database
from tests.store.postgres.open_stores import Opening, threads
from tests.store.stores import Store
from tests.waiting import PATIENCE, eventually
from windlass.core.outcome import Outcome, Postponed
from windlass.core.state import State
from windlass.store.operation import Call, Operation
from windlass.store.operations import jobs
from windlass.store.operations.cycle import Claimant, cycle, finish
from windlass.store.operations.jobs import Retried
from windlass.store.operations.steps.sent_events import Wait, await_event, deliver_events, send_event
from windlass.store.postgres.driver import PostgresDriver

A = TypeVar("A")
Beside = Callable[[Operation[Any], Operation[A]], A]


@pytest.fixture
def store(opened: Opening) -> Store:
    return opened()


@pytest.fixture
def beside(database: Database, store: Store) -> Beside[Any]:
    """What an operation gives that began while the first call of another was carried out but not yet committed."""

    def run(other: Operation[Any], operation: Operation[A]) -> A:
        with threads() as start:
            with uncommitted(database, store, other):
                found = start(store.run, operation)
                eventually(lambda: bool(database.waiting()) or found.done())
                assert not found.done(), "it did not wait"
            result: A = found.result(PATIENCE)
            return result

    return run


@contextmanager
def uncommitted(database: Database, store: Store, operation: Operation[Any]) -> Iterator[None]:
    driver = store.driver
    assert isinstance(driver, PostgresDriver)
    with database.connected() as connection, connection.transaction():
        statement, values = driver._bound(next(operation))
        RawCursor(connection).execute(statement.text, values)
        yield


def claiming(store: Store) -> Operation[Any]:
    worker = store.a_worker()
    return cycle(Claimant(worker.name, worker.lease, fresh("token")), requests=[("default", 9)])


def test_a_job_that_is_being_claimed_is_asked_to_stop(store: Store, beside: Beside[Any]) -> None:
    """A4: no request is lost between a claim and its commit."""
    job = store.a_job()
    assert beside(claiming(store), jobs.cancel([job.seq], by="me")) == {job.seq: State.RUNNING}
    assert store.job(job.id).cancel_requested_at is not None


@pytest.mark.parametrize(
    ("outcome", "changed", "state"),
    [(RETURNED, {}, State.COMPLETED), (INTERRUPTED, {State.CANCELLED}, State.CANCELLED)],
    ids=["completed", "released"],
)
def test_a_job_that_is_being_ended_is_cancelled_where_it_waits_again(
    store: Store, beside: Beside[Any], outcome: Outcome, changed: set[State], state: State
) -> None:
    """A4: a job that finished first stays completed."""
    job = store.claimed()
    finishing = finish([ending(job, outcome)], worker="w")
    assert set(beside(finishing, jobs.cancel([job.seq], by="me")).values()) == set(changed)
    assert store.job(job.id).state is state


def test_the_others_of_the_call_are_cancelled_once(store: Store, beside: Beside[Any]) -> None:
    store.enqueue(*(new_job(f"{number}", queue="other") for number in range(5)))
    moving = store.a_job()
    seqs = [store.job(f"{number}").seq for number in range(5)]
    found = beside(claiming(store), jobs.cancel([*seqs, moving.seq], by="me"))
    assert found == {moving.seq: State.RUNNING} | dict.fromkeys(seqs, State.CANCELLED)
    assert [store.kinds(seq) for seq in seqs] == [["cancelled"]] * 5


def test_a_job_that_is_being_claimed_is_not_deleted(store: Store, beside: Beside[Any]) -> None:
    job = store.a_job()
    assert beside(claiming(store), jobs.delete([(job.seq, job.id)])) == []
    assert store.job(job.id).state is State.RUNNING


def test_a_job_that_is_being_cancelled_is_deleted(store: Store, beside: Beside[Any]) -> None:
    job = store.a_job(new_job(key="k"))
    assert beside(jobs.cancel([job.seq], by="me"), jobs.delete([(job.seq, job.id)])) == [job.seq]
    assert not store.exists(job.id)


def test_two_who_retry_a_job_put_it_back_once(store: Store, beside: Beside[Any]) -> None:
    job = store.a_job(new_job(delay=HOUR))
    retried = beside(jobs.retry([job.seq], by="one"), jobs.retry([job.seq], by="two"))
    assert retried == Retried([], {})
    assert len(store.a_worker().take()) == 1
    assert store.kinds(job.seq) == ["retried"]


def test_a_job_that_is_being_promoted_is_put_off(store: Store, beside: Beside[Any]) -> None:
    """B12."""
    job = store.a_job(new_job(delay=1))
    store.advance(1)
    assert beside(jobs.promote_page(), jobs.reschedule(job.seq, delay=HOUR))
    assert store.job(job.id).state is State.SCHEDULED
    assert store.a_worker().take() == []


def looking_for_events() -> Operation[Any]:
    """The second call of ``deliver_events``."""
    yield Call("wake_waiters", {"limit": 9})


def test_a_wait_that_is_being_looked_at_is_told_of_an_event(database: Database, store: Store) -> None:
    """F4: the look began before the event came, and ends while the event is delivered."""
    job = store.claimed(new_job("a"))
    store.run(await_event(job.seq, job.fence, Wait("#1", 1, "yes", HOUR), worker="w"))
    assert not store.end(job, Postponed(HOUR, "event"))
    with threads() as start:
        with uncommitted(database, store, looking_for_events()):
            store.run(send_event("yes", None))
            delivered = start(store.run, deliver_events())
            eventually(lambda: bool(database.waiting()) or delivered.done())
            assert not delivered.done(), "it did not wait"
        assert delivered.result(PATIENCE) == 1
    assert store.job("a").state is State.PENDING
