"""A server of the test's own, to be stopped, frozen and filled up."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.servers.redis_node import RedisNode, redis_node


@pytest.fixture
def node() -> Iterator[RedisNode]:
    with redis_node() as running:
        yield running
