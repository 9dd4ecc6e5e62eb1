"""Rows that somebody or something has damaged: the others go on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.places.place import SqlitePlace
from tests.store.builders import TTL, ids, new_job
from tests.store.cleaning import prunable
from tests.store.stores import Store, open_store
from windlass.core.state import State
from windlass.store.operations import jobs, queries
from windlass.store.operations.cycle import Claimant, cycle
from windlass.store.operations.diagnostics.failures import dead_groups
from windlass.store.operations.leases import WorkerReport, open_lease
from windlass.store.operations.rescue import rescue


@pytest.fixture
def damaged(place: SqlitePlace) -> Iterator[Store]:
    """Three jobs, the second of which has a payload, metadata and errors that are no UTF-8."""
    with open_store(place) as store:
        store.enqueue(new_job("a"), new_job("b"), new_job("c"))
        noise = "CAST(x'22ff00fe22' AS TEXT)"
        place.execute(f"UPDATE windlass_job SET payload = {noise}, meta = {noise}, errors = {noise} WHERE id = 'b'")
        yield store


def test_a_claim_hands_out_the_others(damaged: Store) -> None:
    """B32: the damaged one fails later, by itself."""
    damaged.run(open_lease(WorkerReport("w", "w", "idle", "{}"), lease="l", ttl=TTL))
    cycled = damaged.run(cycle(Claimant("w", "l", "t"), requests=[("default", 9)]))
    assert ids(cycled.claimed) == ["a", "b", "c"]


def test_lists_and_pages_still_work(damaged: Store) -> None:
    """B32: lists and pages still work."""
    assert ids(damaged.run(queries.page(queries.Filter(), limit=9)).jobs) == ["c", "b", "a"]
    assert ids(damaged.run(queries.peek("default", limit=9))) == ["a", "b", "c"]
    assert sorted(damaged.run(queries.find(["a", "b"]))) == ["a", "b"]


def test_a_failed_one_can_be_awaited_and_grouped(damaged: Store, place: SqlitePlace) -> None:
    """B32: a damaged history of errors hides nobody's result."""
    place.execute("UPDATE windlass_job SET state = 'failed', finished_at = 1, reason = 'undecodable'")
    assert len(damaged.run(queries.awaited(["a", "b", "c"]))) == 3
    assert sum(group.count for group in damaged.run(dead_groups()).groups) == 3
    found = damaged.run(prunable(queue="default", state=State.FAILED, age=0, keep=0))
    assert ids(found) == ["a", "b", "c"]


def test_a_damaged_one_can_be_rescued_and_deleted(damaged: Store, place: SqlitePlace) -> None:
    damaged.run(open_lease(WorkerReport("w", "w", "idle", "{}"), lease="l", ttl=TTL))
    damaged.run(cycle(Claimant("w", "l", "t"), requests=[("default", 9)]))
    place.execute("DELETE FROM windlass_lease")
    assert len(damaged.run(rescue(by="r", now=lambda: 0))) == 3
    [(seq,)] = place.execute("SELECT seq FROM windlass_job WHERE id = 'b'")
    assert damaged.run(jobs.delete([(seq, "b")])) == [seq]
