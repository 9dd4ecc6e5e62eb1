"""counts_up_to: how many jobs stand in which state, by queue, without counting them all."""

from __future__ import annotations

import pytest

from tests.store.builders import new_job
from tests.store.every_state import a_job_in
from tests.store.stores import Store
from windlass.core.state import State
from windlass.store.operations import queries
from windlass.store.operations.queries import CountUpTo


def counted(store: Store, most: int) -> dict[tuple[str, State], CountUpTo]:
    return {(count.queue, count.state): count for count in store.run(queries.counts_up_to(most))}


@pytest.mark.parametrize("state", sorted(State))
def test_few_jobs_are_counted_in_every_state(store: Store, state: State) -> None:
    """B20: pages count few jobs exactly."""
    job = a_job_in(store, state)
    assert store.run(queries.counts_up_to(10)) == [CountUpTo(job.queue, state, 1, False)]


@pytest.mark.parametrize("delay", [0, 1000])
def test_of_many_jobs_a_part_is_counted(store: Store, delay: int) -> None:
    """B20: of many jobs only so many are read, and the answer says that there are more."""
    store.enqueue(*(new_job(delay=delay) for _ in range(9)), *(new_job(queue="b", delay=delay) for _ in range(2)))
    state = State.SCHEDULED if delay else State.PENDING
    found = counted(store, 6)
    for queue, number in (("default", 9), ("b", 2)):
        count = found[queue, state]
        assert count.number == number if not count.has_more else 0 <= count.number <= number
    assert sum(count.number for count in found.values()) <= 7 or not any(count.has_more for count in found.values())


def test_as_many_as_are_counted_are_all(store: Store) -> None:
    store.enqueue(new_job(), new_job(), new_job())
    assert counted(store, 3) == {("default", State.PENDING): CountUpTo("default", State.PENDING, 3, False)}


def test_an_empty_store_counts_nothing(store: Store) -> None:
    assert store.run(queries.counts_up_to(10)) == []
