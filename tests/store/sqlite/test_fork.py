"""Forks: parent and child each have a store that works, whatever the other does.

Each story runs in a process of its own (``forking.py``), for the tests' own process has threads.
"""

from __future__ import annotations

import pytest

from tests.store.places import SqlitePlace
from tests.store.processes import running
from tests.store.sqlite import forking
from tests.store.sqlite.files import is_intact


@pytest.mark.parametrize("story", forking.STORIES)
def test_a_fork_is_survived(place: SqlitePlace, story: str) -> None:
    """Enqueueing under preloading web servers works, and the file stays intact (W14)."""
    with running("tests.store.sqlite.forking", place.url, story) as process:
        assert process.lines() == ["survived"]
        assert process.end() == 0
    assert is_intact(place)
