"""Forks: parent and child each have a store that works, whatever the other does.

Each story runs in a process of its own (``forking.py``), for the tests' own process has threads.
"""

from __future__ import annotations

import pytest

from tests.places.place import SqlitePlace
from tests.store.processes import running
from tests.store.sqlite import fork_scenarios
from tests.store.sqlite.files import is_intact


@pytest.mark.parametrize("story", fork_scenarios.STORIES)
def test_a_fork_is_survived(place: SqlitePlace, story: str) -> None:
    """Enqueueing under preloading web servers works, and the file stays intact (W14)."""
    with running("tests.store.sqlite.fork_scenarios", place.url, story) as process:
        assert process.lines() == ["survived"]
        assert process.end() == 0
    assert is_intact(place)
