"""Forks: parent and child each have a store that works, whatever the other does (W14).

The stories are those of SQLite. One of them is not for a server: there a commit alone is no news.
"""

from __future__ import annotations

import pytest

from tests.store.postgres.database import Database
from tests.store.processes import running
from tests.store.sqlite import forking

STORIES = [story for story in forking.STORIES if story != forking.a_fork_while_somebody_listens.__name__]


@pytest.mark.parametrize("story", STORIES)
def test_a_fork_is_survived(database: Database, story: str) -> None:
    with running("tests.store.sqlite.forking", database.url, story) as process:
        assert process.lines() == ["survived"]
        assert process.end() == 0


def test_a_fork_while_somebody_listens_is_survived(database: Database) -> None:
    with running("tests.store.postgres.forking", database.url) as process:
        assert process.lines() == ["survived"]
        assert process.end() == 0
