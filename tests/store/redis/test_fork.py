"""Forks: parent and child each have connections of their own.

Each story runs in a process of its own (``forking.py``), for the tests' own process has threads.
"""

from __future__ import annotations

import pytest

from tests.servers.redis_node import RedisNode
from tests.store.processes import running
from tests.store.redis import fork_scenarios


@pytest.mark.parametrize("story", fork_scenarios.STORIES)
def test_a_fork_is_survived(node: RedisNode, story: str) -> None:
    """Enqueueing under preloading web servers works (W14)."""
    with running("tests.store.redis.fork_scenarios", node.url, story) as process:
        assert process.lines() == ["survived"]
        assert process.end() == 0
