"""ids_with_prefix, ambiguous_prefixes: ids by their beginning."""

from __future__ import annotations

import pytest

from tests.store.builders import new_job
from tests.store.stores import Store
from windlass.store.operations import queries


def test_ids_are_found_by_their_beginning(store: Store) -> None:
    store.enqueue(*(new_job(id) for id in ("order-1", "order-2", "Order-3", "other", "order")))
    assert store.run(queries.ids_with_prefix("order-", limit=10)) == ["order-1", "order-2"]
    assert store.run(queries.ids_with_prefix("order", limit=10)) == ["order", "order-1", "order-2"]
    assert store.run(queries.ids_with_prefix("ord", limit=2)) is not None
    assert len(store.run(queries.ids_with_prefix("o", limit=2)) or ()) == 2
    assert store.run(queries.ids_with_prefix("nothing", limit=10)) == []


@pytest.mark.parametrize("prefix", ["100%", "a_b", "x[1]", "s*r", "q?", "back\\", "ä", "it's"])
def test_a_beginning_is_text_and_no_pattern(store: Store, prefix: str) -> None:
    store.enqueue(new_job(f"{prefix}-z"), new_job("100 of"), new_job("aXb"), new_job("x1"), new_job("star"))
    assert store.run(queries.ids_with_prefix(prefix, limit=10)) == [f"{prefix}-z"]


def test_one_is_found_among_many(store: Store) -> None:
    """Also where a store has to look through all of them."""
    store.enqueue(*(new_job(f"n{number:05}") for number in range(3_000)))
    assert store.run(queries.ids_with_prefix("n02999", limit=5)) == ["n02999"]


def test_beginnings_that_neighbours_share_are_told(store: Store) -> None:
    store.enqueue(new_job("aa-1"), new_job("aa-2"), new_job("bb-1"))
    found = store.run(queries.find(["aa-1", "aa-2", "bb-1"]))
    starts = [("aa", found["aa-1"].seq), ("aa-2", found["aa-2"].seq), ("bb", found["bb-1"].seq)]
    assert store.run(queries.ambiguous_prefixes(starts)) == {"aa"}
    assert store.run(queries.ambiguous_prefixes([])) == frozenset()
