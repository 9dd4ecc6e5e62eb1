"""Forks: parent and child each have a store that works, whatever the other does (W14).

The stories are those of SQLite. Two are not for a server: there a commit alone is no news, and there is no file.
"""

from __future__ import annotations

import pytest

from tests.store.postgres.database import Database
from tests.store.processes import running
from tests.store.sqlite import fork_scenarios

NOT_OURS = {fork_scenarios.a_fork_while_somebody_listens.__name__, fork_scenarios.a_file_that_is_gone.__name__}
STORIES = sorted(fork_scenarios.STORIES.keys() - NOT_OURS)


@pytest.mark.parametrize("story", STORIES)
def test_a_fork_is_survived(database: Database, story: str) -> None:
    with running("tests.store.sqlite.fork_scenarios", database.url, story) as process:
        assert process.lines() == ["survived"]
        assert process.end() == 0


def test_a_fork_while_somebody_listens_is_survived(database: Database) -> None:
    with running("tests.store.postgres.fork_scenario", database.url) as process:
        assert process.lines() == ["survived"]
        assert process.end() == 0
