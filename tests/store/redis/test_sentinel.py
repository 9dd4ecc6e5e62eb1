"""Sentinels: they know who the primary is, and the store follows them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from tests.servers.redis_node import RedisNode, redis_node
from tests.servers.running import free_port
from tests.store.builders import new_job
from tests.store.redis.replicated import HASTY, await_all_copied
from tests.store.stores import open_store
from tests.waiting import eventually
from windlass.core.state import State
from windlass.errors import ConfigError, StoreUnavailable


@dataclass(frozen=True)
class Watched:
    """A primary and its replica, and who watches them."""

    primary: RedisNode
    replica: RedisNode
    sentinels: tuple[RedisNode, ...]

    @property
    def url(self) -> str:
        return f"redis+sentinel://{','.join(f'127.0.0.1:{node.port}' for node in self.sentinels)}/jobs/0"

    def primary_port(self) -> int:
        answer: Any = self.sentinels[0].command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "jobs")
        return int(answer[1])


@contextmanager
def watched() -> Iterator[Watched]:
    with ExitStack() as stack:
        primary = stack.enter_context(redis_node(settings=HASTY))
        replica = stack.enter_context(redis_node(settings=HASTY | {"replicaof": f"127.0.0.1 {primary.port}"}))
        eventually(lambda: is_in_step(replica))
        sentinels = []
        for _ in range(2):
            sentinel = stack.enter_context(redis_node(is_started=False))
            sentinel.start_as_sentinel(
                "sentinel resolve-hostnames no",
                f"sentinel monitor jobs 127.0.0.1 {primary.port} 1",
                "sentinel down-after-milliseconds jobs 500",
                "sentinel failover-timeout jobs 3000",
            )
            sentinels.append(sentinel)
        everybody = Watched(primary, replica, tuple(sentinels))
        eventually(lambda: knows_all(everybody))
        yield everybody


def is_in_step(replica: RedisNode) -> bool:
    with replica.client() as client:
        return bool(client.info("replication").get("master_link_status") == "up")


def knows_all(everybody: Watched) -> bool:
    for sentinel in everybody.sentinels:
        with sentinel.client() as client:
            said = client.info("sentinel")["master0"]
            if (said["slaves"], said["sentinels"]) != (1, len(everybody.sentinels)):
                return False
    return True


def test_a_failover_is_followed() -> None:
    """R3, S7: the replica becomes the primary; calls wait for it, and fences go on growing."""
    with watched() as everybody, open_store(everybody.url, deadline=60) as store:
        assert store.driver.name == everybody.url
        worker = store.a_worker()
        store.enqueue(new_job("a"), new_job("b"))
        [before] = worker.take(1)
        await_all_copied(everybody.primary, everybody.replica)
        everybody.primary.kill()
        [after] = worker.take(1)
        assert everybody.primary_port() == everybody.replica.port
        assert {before.id, after.id} == {"a", "b"}
        assert after.fence > before.fence
        assert not worker.end(before)
        assert not worker.end(after)
        assert store.job("a").state is store.job("b").state is State.COMPLETED


def test_a_primary_that_became_a_replica_is_left(node: RedisNode) -> None:
    """R3, S7: nobody died; the connections are still good, and lead to the wrong server."""
    with redis_node(is_started=False) as sentinel, redis_node(settings=HASTY) as successor:
        sentinel.start_as_sentinel(f"sentinel monitor jobs 127.0.0.1 {node.port} 1")
        with open_store(f"redis+sentinel://127.0.0.1:{sentinel.port}/jobs", deadline=30) as store:
            store.enqueue(new_job("a"))
            sentinel.command("SENTINEL", "REMOVE", "jobs")
            sentinel.command("SENTINEL", "MONITOR", "jobs", "127.0.0.1", str(successor.port), "1")
            node.command("REPLICAOF", "127.0.0.1", str(successor.port))
            store.enqueue(new_job("b"))
            assert successor.command("HEXISTS", "{windlass}:ids", "b") == 1


def test_one_sentinel_is_enough(node: RedisNode) -> None:
    with redis_node(is_started=False) as silent, redis_node(is_started=False) as sentinel:
        for each in (silent, sentinel):
            each.start_as_sentinel(f"sentinel monitor jobs 127.0.0.1 {node.port} 1")
        silent.freeze()
        places = f"127.0.0.1:{free_port()},127.0.0.1:{silent.port},127.0.0.1:{sentinel.port}"
        with open_store(f"redis+sentinel://{places}/jobs", deadline=10) as store:
            store.enqueue(new_job())


def test_a_primary_that_no_sentinel_knows_is_named(node: RedisNode) -> None:
    with redis_node(is_started=False) as sentinel:
        sentinel.start_as_sentinel(f"sentinel monitor jobs 127.0.0.1 {node.port} 1")
        url = f"redis+sentinel://127.0.0.1:{sentinel.port}/other"
        with (
            open_store(url, deadline=0.3) as store,
            pytest.raises(StoreUnavailable, match="no sentinel knows"),
        ):
            store.enqueue(new_job())


def test_sentinels_may_want_a_password_of_their_own(node: RedisNode) -> None:
    node.command("CONFIG", "SET", "requirepass", "theirs")
    with redis_node(is_started=False) as sentinel:
        sentinel.start_as_sentinel(
            "requirepass own", f"sentinel monitor jobs 127.0.0.1 {node.port} 1", "sentinel auth-pass jobs theirs"
        )
        place = f"127.0.0.1:{sentinel.port},127.0.0.1:{free_port()}"
        with open_store(f"redis+sentinel://:theirs@{place}/jobs?sentinel_password=own") as store:
            store.enqueue(new_job())


def test_sentinels_that_let_us_in_on_no_account_are_a_matter_of_configuration(node: RedisNode) -> None:
    """S8: at once, unless one that is silent now may know better."""
    with redis_node(is_started=False) as sentinel:
        sentinel.start_as_sentinel("requirepass own", f"sentinel monitor jobs 127.0.0.1 {node.port} 1")
        place = f"127.0.0.1:{sentinel.port}"
        for password in ("", "?sentinel_password=wrong"):
            with (
                open_store(f"redis+sentinel://{place}/jobs{password}", deadline=60) as store,
                pytest.raises(ConfigError, match=rf"wants another user or password \(the sentinel at {place}"),
            ):
                store.enqueue(new_job())
        with (
            open_store(f"redis+sentinel://{place},127.0.0.1:{free_port()}/jobs", deadline=0.3) as store,
            pytest.raises(StoreUnavailable, match=r"the sentinel at .* does not answer"),
        ):
            store.enqueue(new_job())
