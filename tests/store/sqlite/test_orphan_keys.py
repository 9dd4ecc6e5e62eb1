"""Unique keys whose job a careless hand has deleted."""

from __future__ import annotations

from tests.places.place import SqlitePlace
from tests.store.builders import new_job
from tests.store.cleaning import tidy
from tests.store.enqueue import add
from tests.store.stores import open_store
from windlass.store.operations.enqueue import Uniqueness


def test_keys_whose_job_is_gone_go_with_the_next_tidying(place: SqlitePlace) -> None:
    """A13, S10: they are found without holding anybody up, and those of jobs that are there stay."""
    with open_store(place) as store:
        named = {0: Uniqueness(), 1: Uniqueness()}
        store.run(add([new_job("gone", key="free"), new_job("kept", key="held")], named))
        place.execute("DELETE FROM windlass_job WHERE id = 'gone'")
        store.run(tidy())
        assert place.execute("SELECT key FROM windlass_key") == [("held",)]
