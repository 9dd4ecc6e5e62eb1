"""What a server may answer instead of doing what it was asked, and what becomes of the call."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from time import monotonic

import pytest
import redis

from tests.leeway import leeway
from tests.servers.redis_node import RedisNode, redis_node
from tests.servers.running import free_port
from tests.store.builders import new_job
from tests.store.redis.test_connections import is_away, read
from tests.store.redis.test_vanished import DURABLE
from tests.store.stores import open_store
from tests.waiting import eventually
from windlass.core.state import State
from windlass.errors import StoreUnavailable
from windlass.store.operations import queries


def test_scripts_that_the_server_forgot_are_sent_again(node: RedisNode) -> None:
    """R6: NOSCRIPT, after SCRIPT FLUSH, or on another server."""
    with open_store(node.url) as store:
        store.enqueue(new_job("a"))
        node.command("SCRIPT", "FLUSH")
        store.enqueue(new_job("b"))
        assert store.exists("a")
        assert store.exists("b")


def test_a_server_without_memory_takes_no_jobs_but_ends_them(node: RedisNode) -> None:
    """R4: OOM. Enqueueing is refused and says so; finishing, which is the way out, works, also on a new connection."""
    with open_store(node.url) as store, open_store(node.url) as late:
        worker = store.a_worker()
        store.enqueue(*(new_job() for _ in range(10)))
        jobs = worker.take(10)
        node.command("CONFIG", "SET", "maxmemory", "1")
        with pytest.raises(StoreUnavailable, match="out of memory and takes no new jobs; raise its maxmemory"):
            store.enqueue(new_job("refused"))
        assert not worker.end(jobs[0])
        assert not late.end(jobs[1])
        assert worker.renew().held
        node.command("CONFIG", "SET", "maxmemory", "0")
        store.enqueue(new_job("taken"))
        assert not store.exists("refused")
        assert store.run(queries.counts())["default"][State.COMPLETED] == 2


def test_a_server_that_came_back_without_memory_ends_jobs() -> None:
    """R4: a new epoch has to begin first, which is a write of its own."""
    with redis_node(settings=DURABLE) as node, open_store(node.url) as store:
        job = store.claimed()
        node.kill()
        node.start({"maxmemory": "1"})
        assert not store.end(job)
        with pytest.raises(StoreUnavailable, match="out of memory"):
            store.enqueue(new_job())


def test_a_replica_is_waited_for_until_it_is_a_primary(node: RedisNode) -> None:
    """R6, S7: READONLY. A former primary is left, and found again when it takes writes."""
    with redis_node() as other, open_store(node.url, deadline=30) as store, ThreadPoolExecutor(1) as threads:
        store.enqueue(new_job("before"))
        node.command("CONFIG", "RESETSTAT")
        node.command("REPLICAOF", "127.0.0.1", str(other.port))
        enqueued = threads.submit(store.enqueue, new_job("after"))
        eventually(lambda: not enqueued.done() and is_refused(node))
        node.command("REPLICAOF", "NO", "ONE")
        enqueued.result()
        assert store.exists("after")


def is_refused(node: RedisNode) -> bool:
    with node.client() as client:
        return int(client.info("stats")["total_error_replies"]) > 0


@pytest.mark.parametrize("serves_stale_data", ["yes", "no"])
def test_a_replica_that_stays_one_is_unavailable(node: RedisNode, serves_stale_data: str) -> None:
    """R6, S7: READONLY, and MASTERDOWN where it has lost its primary and says nothing until it is back."""
    with open_store(node.url, deadline=0.5) as store:
        store.enqueue(new_job("before"))
        node.command("CONFIG", "SET", "replica-serve-stale-data", serves_stale_data)
        node.command("REPLICAOF", "127.0.0.1", str(free_port()))
        with pytest.raises(StoreUnavailable, match="is a replica"):
            store.enqueue(new_job("after"))
        node.command("REPLICAOF", "NO", "ONE")
        eventually(lambda: not is_away(store))
        assert not store.exists("after")


def test_a_server_that_loads_its_data_is_waited_for(node: RedisNode) -> None:
    """R6: LOADING, as long as the deadline allows."""
    with open_store(node.url, deadline=30) as store:
        store.enqueue(*(new_job() for _ in range(1000)))
        keys = int(str(node.command("DBSIZE")))
        node.command("SAVE")
        node.kill()
        # Microseconds for each key, and so three seconds in all; it answers every few keys in between.
        node.start({"key-load-delay": str(3_000_000 // keys), "loading-process-events-interval-bytes": "1024"})
        assert is_loading(node)
        with open_store(node.url, deadline=1) as hasty, pytest.raises(StoreUnavailable, match="still loading its data"):
            read(hasty)
        store.enqueue(new_job("after"))
        assert not is_loading(node)
        assert store.run(queries.counts()) == {"default": {State.PENDING: 1001}}


def is_loading(node: RedisNode) -> bool:
    with node.client() as client:
        return bool(client.info("persistence")["loading"])


def test_a_server_that_is_busy_with_a_script_is_waited_for(node: RedisNode) -> None:
    """R6: BUSY. Somebody else's script that does not end is no error of ours, as long as the deadline allows."""
    node.command("CONFIG", "SET", "lua-time-limit", "1")
    with open_store(node.url, deadline=30) as store, ThreadPoolExecutor(2) as threads:
        store.enqueue(new_job("before"))
        endless = threads.submit(node.command, "EVAL", "while true do end", "0")
        eventually(lambda: is_busy(node))
        enqueued = threads.submit(store.enqueue, new_job("after"))
        with open_store(node.url, deadline=0.2) as hasty, pytest.raises(StoreUnavailable, match="busy with a script"):
            read(hasty)
        node.command("SCRIPT", "KILL")
        enqueued.result()
        with pytest.raises(redis.ResponseError):
            endless.result()


def is_busy(node: RedisNode) -> bool:
    try:
        node.command("PING")
    except redis.ResponseError:
        return True
    return False


def test_keys_of_another_program_are_named(node: RedisNode) -> None:
    """R7: WRONGTYPE. Somebody who must act learns which keys the call uses and what lies there."""
    node.command("SET", "{windlass}:ids", "mine")
    with (
        open_store(node.url) as store,
        pytest.raises(StoreUnavailable, match=r"\{windlass\}:ids is a string") as caught,
    ):
        store.enqueue(new_job())
    assert "another program uses the same namespace" in str(caught.value)
    assert "user_script" not in str(caught.value)


def has_failed_to_save(node: RedisNode) -> bool:
    with node.client() as client:
        return bool(client.info("persistence")["rdb_last_bgsave_status"] == "err")


def test_a_server_that_cannot_write_to_its_disk_is_unavailable(node: RedisNode) -> None:
    """R6: MISCONF, at once, with the server's own words."""
    with open_store(node.url, deadline=60) as store:
        store.enqueue(new_job())
        (node.folder / "dump.rdb").mkdir()  # where it would write a file
        node.command("CONFIG", "SET", "save", "3600 1")
        node.command("BGSAVE")
        eventually(lambda: has_failed_to_save(node))
        started = monotonic()
        with pytest.raises(StoreUnavailable, match="cannot write to its disk"):
            store.enqueue(new_job())
        assert monotonic() - started < leeway(30)
        node.command("CONFIG", "SET", "save", "")  # or it would refuse to stop
