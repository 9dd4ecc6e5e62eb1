"""jobs_by_id: everything the store knows about jobs, by id."""

from __future__ import annotations

from tests.store.builders import new_job
from tests.store.stores import Store
from windlass.store.operations import queries


def test_jobs_are_found_by_id(store: Store) -> None:
    """A2: ask for a job by id."""
    store.enqueue(new_job("a"), new_job("b"), new_job("c"))
    found = store.run(queries.find(["c", "a"]))
    assert {id: job.id for id, job in found.items()} == {"a": "a", "c": "c"}


def test_an_unknown_id_is_missing(store: Store) -> None:
    """A2: unknown id."""
    store.enqueue(new_job("a"))
    assert list(store.run(queries.find(["a", "b"]))) == ["a"]
    assert store.run(queries.find([])) == {}


def test_an_id_is_found_as_it_was_written(store: Store) -> None:
    ids = ["a", "A", "ä", "a ", "a'b", "%", "0x1", "1", "01", "x" * 128]
    store.enqueue(*(new_job(id) for id in ids))
    assert sorted(store.run(queries.find(ids))) == sorted(ids)


def test_asking_twice_for_one_id_gives_it_once(store: Store) -> None:
    store.enqueue(new_job("a"))
    assert list(store.run(queries.find(["a", "a"]))) == ["a"]
