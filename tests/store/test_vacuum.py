"""sweep: the tables through which every job passes stay small."""

from __future__ import annotations

from tests.store.stores import Store
from windlass.store.operations.upkeep.vacuum import Vacuumed, vacuum


def test_a_store_that_is_small_needs_no_sweeping(store: Store) -> None:
    store.finished()
    assert store.run(vacuum()) == Vacuumed([])
