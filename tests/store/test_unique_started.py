"""Unique keys that are held until their job has started: what counts as a start."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.store.builders import INTERRUPTED, SECOND, TTL, ending, mark, new_job
from tests.store.stores import Store
from windlass.core.outcome import Postponed
from windlass.core.records import Claimed
from windlass.core.state import State
from windlass.store.operations import jobs
from windlass.store.operations.cycle import Claimant, cycle, finish
from windlass.store.operations.enqueue import Enqueued, Uniqueness

UNTIL_STARTED = Uniqueness(until="started")


def a_fetch_that_is_handed_back(store: Store, job: Claimed) -> None:
    assert not store.run(finish([ending(job, INTERRUPTED, ran_for=None)], worker="w"))


def a_fetch_that_is_rescued(store: Store, job: Claimed) -> None:
    store.advance(TTL)
    assert store.rescue()


def a_fetch_for_an_unknown_task(store: Store, job: Claimed) -> None:
    assert not store.run(finish([ending(job, Postponed(SECOND, "unknown_task"), ran_for=None)], worker="w"))


@pytest.mark.parametrize(
    "come_back", [a_fetch_that_is_handed_back, a_fetch_that_is_rescued, a_fetch_for_an_unknown_task]
)
def test_a_fetch_without_a_start_does_not_give_a_key_up(
    store: Store, come_back: Callable[[Store, Claimed], None]
) -> None:
    """B17: until started means started, not fetched."""
    store.enqueue(new_job("a", key="k"), naming=UNTIL_STARTED)
    for _ in range(2):
        [job] = store.a_worker().take()
        come_back(store, job)
        [found] = store.enqueue(new_job(key="k"), naming=UNTIL_STARTED)
        assert (found.id, found.is_duplicate) == ("a", True)
        store.advance(SECOND)
        store.run(jobs.promote())


def test_a_key_that_another_took_meanwhile_does_not_come_back(store: Store) -> None:
    """B17: not even to a job that was handed back without a start."""
    store.enqueue(new_job("a", key="k"), naming=UNTIL_STARTED)
    [job] = store.a_worker().take()
    store.enqueue(new_job("b", key="k"), naming=UNTIL_STARTED)
    a_fetch_that_is_handed_back(store, job)
    assert store.enqueue(new_job("c", key="k"), naming=UNTIL_STARTED) == [Enqueued("b", State.PENDING, True)]


def a_run_that_is_interrupted(store: Store, job: Claimed) -> None:
    store.end(job, INTERRUPTED)


def a_run_that_snoozes(store: Store, job: Claimed) -> None:
    store.end(job, Postponed(1))


def a_marked_run_that_is_rescued(store: Store, job: Claimed) -> None:
    store.run(cycle(Claimant("w", "", ""), marks=[mark(job)]))
    store.advance(TTL)
    assert store.rescue()


@pytest.mark.parametrize("come_back", [a_run_that_is_interrupted, a_run_that_snoozes, a_marked_run_that_is_rescued])
def test_a_run_that_had_begun_gives_its_key_up_for_good(
    store: Store, come_back: Callable[[Store, Claimed], None]
) -> None:
    """B17: also where nothing was charged, and the job is fetched and handed back afterwards."""
    store.enqueue(new_job("a", key="k"), naming=UNTIL_STARTED)
    [job] = store.a_worker().take()
    come_back(store, job)
    store.advance(1)
    store.run(jobs.promote())
    [again] = store.a_worker().take()
    a_fetch_that_is_handed_back(store, again)
    assert store.enqueue(new_job("b", key="k"), naming=UNTIL_STARTED) == [Enqueued("b", State.PENDING)]
