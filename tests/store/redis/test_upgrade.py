"""Keys that an earlier release has written: pending jobs without a turn, whose scores are all 0."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import redis

from tests.manual_clock import START
from tests.store.builders import RETURNED, SECOND, ids, new_job, raised
from tests.store.flows import tied
from tests.store.redis.keyspace import Keyspace
from tests.store.stores import Store
from windlass.core.outcome import FailedPermanently, Outcome
from windlass.core.state import State
from windlass.store.operations import jobs, queries
from windlass.store.operations.limits.concurrency import unblock_all
from windlass.store.operations.manual_claim import claim
from windlass.store.operations.queries import Depth


def take_turns_away(store: Store) -> None:
    key = f"{{{store.place.namespace}}}:pending:default"
    with redis.Redis.from_url(store.place.url) as client:
        members = [member for member, _ in client.zscan_iter(key)]
        client.zadd(key, dict.fromkeys(members, 0))


def three_old_jobs(store: Store) -> None:
    """The first of them became ready last."""
    store.enqueue(new_job("late", delay=SECOND), new_job("early"), new_job("low", priority=-1))
    store.advance(SECOND)
    store.run(jobs.promote())
    take_turns_away(store)


def test_a_claim_gives_them_their_turns(store: Store) -> None:
    """B3, S8: also among jobs that came after the upgrade."""
    three_old_jobs(store)
    store.advance(SECOND)
    store.enqueue(new_job("new"), new_job("urgent", priority=1))
    worker = store.a_worker()
    assert ids(worker.take(1)) == ["urgent"]
    Keyspace(store.place.url, store.place.namespace).check()
    assert ids(worker.take()) == ["early", "late", "new", "low"]


def test_a_manual_claim_does_so_too(store: Store) -> None:
    three_old_jobs(store)
    taken = store.run(claim(2, queues=["default"], worker="me", token="t", ttl=SECOND))
    assert ids(taken) == ["early", "late"]


def test_a_claim_gives_many_of_them_a_part_of_the_turns(store: Store) -> None:
    """A script holds everybody up, so it does no more than it can do in a moment; none is lost meanwhile."""
    store.enqueue(*(new_job() for _ in range(12_000)))
    take_turns_away(store)
    worker, taken = store.a_worker(), 0
    while found := len(worker.take(3_000)):
        taken += found
    assert taken == 12_000
    Keyspace(store.place.url, store.place.namespace).check()


def test_they_can_be_cancelled_and_deleted(store: Store) -> None:
    three_old_jobs(store)
    late, early = store.job("late"), store.job("early")
    assert list(store.run(jobs.cancel([late.seq], by="me"))) == [late.seq]
    assert store.run(jobs.delete([(early.seq, early.id)])) == [early.seq]
    assert ids(store.a_worker().take()) == ["low"]
    Keyspace(store.place.url, store.place.namespace).check()


def test_their_depth_and_their_order_can_be_read(store: Store) -> None:
    store.enqueue(new_job("old", at=START))
    take_turns_away(store)
    store.advance(SECOND)
    store.enqueue(new_job("new"))
    assert store.run(queries.depth()) == {"default": Depth("default", 2, SECOND)}
    assert ids(store.run(queries.peek("default", limit=5))) == ["old", "new"]


@contextmanager
def as_an_earlier_release(store: Store) -> Iterator[None]:
    """What knows no edges ends jobs without a look at those that wait for them."""
    awaited, hidden = (f"{{{store.place.namespace}}}:{name}" for name in ("awaited", "hidden"))
    with redis.Redis.from_url(store.place.url) as client:
        client.rename(awaited, hidden)
        yield
        client.rename(hidden, awaited)


@pytest.mark.parametrize(
    ("outcome", "state"),
    [(RETURNED, State.PENDING), (FailedPermanently(raised().fault, "permanent"), State.CANCELLED)],
)
def test_the_leader_finds_parents_that_an_earlier_release_has_ended(
    store: Store, outcome: Outcome, state: State
) -> None:
    """B36: while a release is rolled out."""
    tied(store, (new_job("a"), []), (new_job("b"), ["a"]), (new_job("x"), []), (new_job("y"), ["x"]))
    job = store.a_worker().take(1)[0]
    with as_an_earlier_release(store):
        store.end(job, outcome)
    store.run(jobs.promote())
    assert store.job("b").state is State.BLOCKED
    store.run(unblock_all())
    assert store.run(queries.next_due()).is_unsettled
    store.run(jobs.promote())
    assert (store.job("b").state, store.job("y").state) == (state, State.BLOCKED)
    assert not store.run(queries.next_due()).is_unsettled
    Keyspace(store.place.url, store.place.namespace).check()
