"""Servers of one test's own that it may stop and start again, whatever their kind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol
from uuid import uuid4

from tests.places.place import ServerPlace, put_postgres, put_redis, wipe_postgres, wipe_redis
from tests.servers.postgres_node import postgres_node
from tests.servers.redis_node import redis_node

DURABLE = {"appendonly": "yes", "appendfsync": "always"}
"""A server that is killed loses nothing that it has acknowledged. With ``everysec`` it may: while a sync takes its time
it answers before it writes to its log, for up to two seconds.
"""


class Node(Protocol):
    """Keeps its port and its data from one start to the next."""

    @property
    def url(self) -> str: ...

    def start(self) -> None: ...

    def stop(self) -> None:
        """End it in order."""

    def kill(self) -> None:
        """End it without a moment for anything."""


@contextmanager
def node_of(store: str, **settings: str) -> Iterator[Node]:
    """A running server that keeps what it has acknowledged."""
    if store == "postgres":
        with postgres_node(settings=settings) as postgres:
            yield postgres
    else:
        with redis_node(settings=DURABLE | settings) as redis:
            yield redis


def place_at(node: Node) -> ServerPlace:
    """Where the jobs of one test live on the node; they go with it, so that nothing has to be erased."""
    namespace = f"t_{uuid4().hex[:16]}"
    if node.url.startswith("postgresql:"):
        return ServerPlace(node.url, namespace, wipe_postgres, put_postgres)
    return ServerPlace(node.url, namespace, wipe_redis, put_redis)
