"""A primary and its replica, and a sentinel that tells which of them is the primary."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.servers.redis_node import RedisNode, redis_node
from tests.servers.running import free_port
from tests.waiting import eventually


def await_all_copied(primary: RedisNode, replica: RedisNode) -> None:
    """Wait until the replica has what the primary has now; ``WAIT`` is about the writes of its own connection only."""
    with primary.client() as client:
        written = int(client.info("replication")["master_repl_offset"])

    def has_all() -> bool:
        with replica.client() as client:
            said = client.info("replication")
            return said["master_link_status"] == "up" and int(said["slave_repl_offset"]) >= written

    eventually(has_all)


@dataclass(frozen=True)
class Replicated:
    """The test decides when the replica falls behind and when it takes over, so that nothing depends on time."""

    primary: RedisNode
    replica: RedisNode
    sentinel: RedisNode

    @property
    def url(self) -> str:
        return f"redis+sentinel://127.0.0.1:{self.sentinel.port}/jobs"

    def catch_up(self) -> None:
        """Let the replica have all that the primary has."""
        await_all_copied(self.primary, self.replica)

    def fall_behind(self) -> None:
        """From now on nothing reaches the replica."""
        self.replica.command("REPLICAOF", "127.0.0.1", str(free_port()))

    def fail_over(self) -> None:
        """As sentinels do it: the former primary lives on as a replica, and forgets what the new one never had."""
        self.replica.command("REPLICAOF", "NO", "ONE")
        self.sentinel.command("SENTINEL", "REMOVE", "jobs")
        self.sentinel.command("SENTINEL", "MONITOR", "jobs", "127.0.0.1", str(self.replica.port), "1")
        self.primary.command("REPLICAOF", "127.0.0.1", str(self.replica.port))


HASTY = {"repl-diskless-sync-delay": "0", "shutdown-timeout": "0"}
"""Waits for no more replicas before it sends its data to one, and for none that is behind before it ends."""


@contextmanager
def replicated() -> Iterator[Replicated]:
    with (
        redis_node(settings=HASTY) as primary,
        redis_node(settings=HASTY | {"replicaof": f"127.0.0.1 {primary.port}"}) as replica,
        redis_node(is_started=False) as sentinel,
    ):
        sentinel.start_as_sentinel(f"sentinel monitor jobs 127.0.0.1 {primary.port} 1")
        yield Replicated(primary, replica, sentinel)
