"""Clusters: all our keys lie in one slot, and the store finds the node that has it."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager

import pytest
from redis.crc import key_slot

from tests.servers.redis_node import RedisNode, redis_node
from tests.servers.running import free_port
from tests.store.builders import new_job
from tests.store.received_topics import ReceivedTopics
from tests.store.redis.test_connections import documented_rights
from tests.store.stores import Store, open_store
from tests.waiting import eventually
from windlass.errors import ConfigError, StoreUnavailable
from windlass.store.driver import Topic

SLOT = key_slot(b"{windlass}:")
SLOTS = 16384


@contextmanager
def cluster(size: int) -> Iterator[list[RedisNode]]:
    """Nodes that share the slots; the last one has ours."""
    with ExitStack() as stack:
        nodes = [stack.enter_context(redis_node(is_started=False)) for _ in range(size)]
        for node in nodes:
            node.start({"cluster-enabled": "yes", "cluster-port": str(free_port()), "cluster-node-timeout": "2000"})
        for node in nodes[1:]:
            node.command("CLUSTER", "MEET", "127.0.0.1", str(nodes[0].port), bus_port(nodes[0]))
        shares = [range(SLOTS * number // size, SLOTS * (number + 1) // size) for number in range(size)]
        for node, share in zip(nodes, sorted(shares, key=lambda share: SLOT in share), strict=True):
            node.command("CLUSTER", "ADDSLOTS", *map(str, share))
        for node in nodes:
            eventually(lambda node=node: is_whole(node), seconds=60)  # type: ignore[misc]
        yield nodes


def bus_port(node: RedisNode) -> str:
    with node.client() as client:
        return str(client.config_get("cluster-port")["cluster-port"])


def is_whole(node: RedisNode) -> bool:
    return "cluster_state:ok" in str(node.command("CLUSTER", "INFO"))


def url_of(*nodes: RedisNode) -> str:
    return f"redis+cluster://{','.join(f'127.0.0.1:{node.port}' for node in nodes)}"


def work(store: Store) -> None:
    worker = store.a_worker()
    job = store.claimed(by=worker)
    assert not worker.end(job)


def test_a_single_node_has_everything() -> None:
    with cluster(1) as [node], open_store(url_of(node)) as store:
        work(store)


def test_the_node_of_our_slot_is_found_from_any_other() -> None:
    with cluster(2) as [other, ours], open_store(url_of(other)) as store:
        work(store)
        assert int(str(ours.command("DBSIZE"))) > 0
        assert other.command("DBSIZE") == 0


def test_a_user_needs_only_the_documented_rights() -> None:
    with cluster(2) as [other, ours]:
        for node in (other, ours):
            node.command("ACL", "SETUSER", "jobs", *documented_rights("secret"), "+cluster|slots")
        with open_store(url_of(other).replace("://", "://jobs:secret@")) as store:
            work(store)


def test_one_node_that_answers_is_enough() -> None:
    with cluster(2) as [other, ours]:
        url = f"redis+cluster://127.0.0.1:{free_port()},127.0.0.1:{other.port}"
        with open_store(url) as store:
            work(store)
        other.freeze()
        with open_store(url_of(other, ours)) as store:
            work(store)


def test_a_slot_that_moved_is_followed() -> None:
    """R6: MOVED. Nothing was carried out by the node that has lost the slot."""
    with cluster(2) as [other, ours], open_store(url_of(ours), deadline=30) as store:
        store.enqueue(new_job("before"))
        move(SLOT, ours, other)
        store.enqueue(new_job("after"))
        assert store.exists("before")
        assert other.command("HEXISTS", "{windlass}:ids", "after") == 1
        assert ours.command("DBSIZE") == 0


def test_a_slot_that_is_being_moved_is_waited_for() -> None:
    """R6: ASK, TRYAGAIN. A script must not take for missing what has not arrived yet."""
    with cluster(2) as [other, ours], open_store(url_of(ours), deadline=60) as store, ThreadPoolExecutor(1) as threads:
        store.enqueue(new_job("before"))
        begin_to_move(SLOT, ours, other)
        migrate(["{windlass}:ids", "{windlass}:seq", "{windlass}:counts"], ours, other)
        with open_store(url_of(ours), deadline=2) as hasty, pytest.raises(StoreUnavailable, match="cluster is moving"):
            hasty.enqueue(new_job("hasty"))
        waiting = threads.submit(store.enqueue, new_job("after"))
        end_the_move(SLOT, ours, other)
        waiting.result()
        assert store.exists("before")
        assert store.exists("after")
        assert not store.exists("hasty")
        assert len({store.job(id).seq for id in ("before", "after")}) == 2


def test_a_cluster_that_is_down_is_waited_for() -> None:
    """R6: CLUSTERDOWN. A cluster that lacks a slot serves none, until it is whole again."""
    missing = str((SLOT + 1) % SLOTS)
    with cluster(1) as [node], open_store(url_of(node), deadline=30) as store, ThreadPoolExecutor(1) as threads:
        store.enqueue(new_job("before"))
        node.command("CLUSTER", "DELSLOTS", missing)
        eventually(lambda: not is_whole(node))
        with (
            open_store(url_of(node), deadline=1) as hasty,
            pytest.raises(StoreUnavailable, match="the cluster is down"),
        ):
            hasty.enqueue(new_job("hasty"))
        waiting = threads.submit(store.enqueue, new_job("after"))
        node.command("CLUSTER", "ADDSLOTS", missing)
        waiting.result()
        assert store.exists("after")


def test_news_reach_whoever_listens_at_another_node() -> None:
    with cluster(2) as [other, ours], open_store(url_of(other)) as teller, open_store(url_of(ours)) as listener:
        received = ReceivedTopics()
        with closing(listener.driver.listen(received)):
            received.begins()
            teller.enqueue(new_job())
            teller.driver.notify(Topic.WORK)
            assert received.next() is Topic.WORK


def move(slot: int, source: RedisNode, target: RedisNode) -> None:
    begin_to_move(slot, source, target)
    end_the_move(slot, source, target)


def begin_to_move(slot: int, source: RedisNode, target: RedisNode) -> None:
    target.command("CLUSTER", "SETSLOT", str(slot), "IMPORTING", str(source.command("CLUSTER", "MYID")))
    source.command("CLUSTER", "SETSLOT", str(slot), "MIGRATING", str(target.command("CLUSTER", "MYID")))


def end_the_move(slot: int, source: RedisNode, target: RedisNode) -> None:
    keys = source.command("CLUSTER", "GETKEYSINSLOT", str(slot), "100000")
    assert isinstance(keys, list)
    migrate(keys, source, target)
    for node in (target, source):
        node.command("CLUSTER", "SETSLOT", str(slot), "NODE", str(target.command("CLUSTER", "MYID")))


def migrate(keys: list[str], source: RedisNode, target: RedisNode) -> None:
    source.command("MIGRATE", "127.0.0.1", str(target.port), "", "0", "10000", "KEYS", *keys)


def test_nodes_that_let_us_in_on_no_account_are_a_matter_of_configuration(node: RedisNode) -> None:
    """S8."""
    node.command("CONFIG", "SET", "requirepass", "own")
    with (
        open_store(f"redis+cluster://:wrong@127.0.0.1:{node.port}", deadline=60) as store,
        pytest.raises(ConfigError, match=rf"wants another user or password \(the node at 127.0.0.1:{node.port}"),
    ):
        store.enqueue(new_job())
