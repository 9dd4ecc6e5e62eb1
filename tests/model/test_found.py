"""What the model test has found, each made small and kept for ever."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import TypeVar

import pytest

from tests.manual_clock import manual_clock, move
from tests.model.invariants import Invariants
from tests.model.model import Model
from tests.model.samples import HOUR, LEASE
from tests.places.fixtures import PlaceOn
from tests.places.place import Place
from tests.store.enqueue import add
from windlass.core.ending import Ending
from windlass.core.fault import read_faults
from windlass.core.records import Claimed
from windlass.core.state import State
from windlass.store.operation import Operation, drive
from windlass.store.operations import jobs, queries
from windlass.store.operations.cycle import finish
from windlass.store.operations.enqueue import Enqueued, NewJob, Uniqueness, enqueue
from windlass.store.operations.flows.edges import NewEdge
from windlass.store.operations.manual_claim import claim
from windlass.store.operations.rates.limits import LimitSeed
from windlass.store.operations.rescue import Rescued, rescue

A = TypeVar("A")

STORES = ("sqlite", "postgres", "redis")


class Store:
    """An empty store on a clock that stands still."""

    def __init__(self, place: Place) -> None:
        self.clock = manual_clock()
        self.driver = place.open(now=self.clock)

    def run(self, operation: Operation[A]) -> A:
        return drive(operation, self.driver.execute)

    def enqueue(self, id: str, *, key: str | None = None, at: int | None = None) -> Enqueued:
        new = NewJob(id, "t", "mail", 0, "{}", None, 4, 0, None, key, None, at)
        return self.run(add([new], {0: Uniqueness()} if key else {}))[0]

    def claim(self, token: str) -> Claimed:
        [claimed] = self.run(claim(1, queues=["mail"], worker="me", token=token, ttl=LEASE))
        return claimed

    def rescue(self) -> list[Rescued]:
        return self.run(rescue(by="rescuer", now=self.clock))


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, place_on: PlaceOn) -> Iterator[Store]:
    opened = Store(place_on(request.param))
    with closing(opened.driver):
        yield opened


def test_a_job_for_an_instant_that_has_passed_is_pending_in_the_answer_too(store: Store) -> None:
    assert store.enqueue("late", at=store.clock() - 1).state is State.PENDING
    assert store.enqueue("early", at=store.clock() + 1).state is State.SCHEDULED


def test_a_job_that_cannot_be_retried_is_not_kept_off_by_a_key(store: Store) -> None:
    store.enqueue("first", key="k")
    first = store.claim("token")
    ending = Ending(first.seq, first.fence, State.COMPLETED, unique_key="k")
    assert not store.run(finish([ending], worker="me"))
    store.enqueue("second", key="k")
    assert store.run(jobs.retry([first.seq], by="me")).key_taken == {}


def test_a_call_that_claims_a_job_again_after_its_rescue_gets_the_whole_time(store: Store) -> None:
    store.enqueue("job")
    first = store.claim("token")
    move(store.clock, LEASE)
    store.rescue()
    again = store.claim("token")
    assert again.fence > first.fence
    assert store.run(queries.next_due()).next_expiry == LEASE
    assert store.rescue() == []


def test_a_link_that_was_retried_by_hand_takes_nothing_along_when_its_parent_ends(store: Store) -> None:
    """It runs; what waits for it does so whatever becomes of the job that it waited for itself."""
    chain = [NewJob(id, "t", "mail", 0, "{}", None, 4, 0, None, None, None, None, after=int(id > "a")) for id in "abc"]
    edges = [NewEdge("b", 0, "a", None, "cancel"), NewEdge("c", 0, "b", None, "cancel")]
    store.run(enqueue(chain, {}, edges))
    seqs = {id: job.seq for id, job in store.run(queries.find("abc")).items()}
    store.run(jobs.cancel([seqs["b"]], by="me"))
    store.run(jobs.retry([seqs["b"]], by="me"))
    store.run(jobs.promote())
    store.run(jobs.cancel([seqs["a"]], by="me"))
    store.run(jobs.promote())
    states = {id: job.state for id, job in store.run(queries.find("abc")).items()}
    assert states == {"a": State.CANCELLED, "b": State.PENDING, "c": State.BLOCKED}


def test_the_fault_of_a_lost_manual_claim_names_the_attempt_that_was_lost(store: Store) -> None:
    store.enqueue("job")
    store.claim("token")
    move(store.clock, LEASE)
    store.rescue()
    record = store.run(queries.find(["job"]))["job"]
    assert [fault.attempt for fault in read_faults(record.errors).faults] == [1]


@pytest.mark.parametrize("step", [0, HOUR])
def test_only_a_drain_after_the_clock_went_back_begins_to_count_tokens_anew(step: int) -> None:
    """The bucket fills again from there on, so the same instants bring tokens twice; otherwise they never do."""
    clock = manual_clock()
    model = Model(now=clock)
    model.ensure_limit(LimitSeed("github", 1, LEASE, 2))
    taken = [model.take_token("github", waiter=None) for _ in range(2)]
    move(clock, -step)
    model.drain("github")
    move(clock, step)
    taken += [model.take_token("github", waiter=None) for _ in range(2)]
    assert [one is not None and one.is_taken for one in taken] == [True, True, step > 0, step > 0]
    assert model.taken_at["limit github"] == [clock()] * 2
    Invariants().check(model)
