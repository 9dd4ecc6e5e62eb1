"""One server for several programs, and for several versions of ours (S11)."""

from __future__ import annotations

import pytest
import redis

from tests.manual_clock import manual_clock
from tests.places.place import ServerPlace
from tests.servers.redis_node import RedisNode
from tests.store.builders import TTL, ids, new_job
from tests.store.cleaning import tidy
from tests.store.stores import Store, open_store
from windlass.core.state import State
from windlass.store.operations import leases, queries, queues


@pytest.mark.parametrize(("namespace", "database"), [("other", "0"), ("windlass", "1")])
def test_two_apps_on_one_server_have_nothing_in_common(node: RedisNode, namespace: str, database: str) -> None:
    """S11: by namespace or by database, the same ids, keys, queues and names of workers are different things."""
    url = node.url.removesuffix("0") + database
    with (
        open_store(node.url, clock=manual_clock()) as ours,
        open_store(ServerPlace(url, namespace), clock=manual_clock()) as theirs,
    ):
        for store in (ours, theirs):
            store.a_worker("w1")
        ours.enqueue(new_job("a", key="k", payload='"ours"'))
        theirs.enqueue(new_job("a", key="k", payload='"theirs"'), new_job("b"))
        ours.run(queues.pause("default", by="me", reason=None))
        assert ours.a_worker().take() == []
        taken = theirs.a_worker().take()
        assert [(job.id, job.payload) for job in taken] == [("a", '"theirs"'), ("b", new_job().payload)]
        assert not theirs.end(taken[0])
        theirs.advance(TTL)
        assert ids(ours.run(queries.page(queries.Filter(), limit=10)).jobs) == ["a"]
        assert [rescued.id for rescued in theirs.rescue()] == ["b"]
        assert ours.rescue() == []
        assert ours.run(queries.counts()) == {"default": {State.PENDING: 1}}
        assert [worker.name for worker in ours.run(leases.workers())].count("w1") == 1


def test_what_a_newer_version_adds_is_left_as_it_is(store: Store) -> None:
    """S11: fields that this version does not know, in everything that is a hash, through a whole life."""
    job, worker = store.a_job(new_job(key="k")), store.a_worker()
    store.run(queues.change("default", {"weight": 2}, by="me"))
    with redis.Redis.from_url(store.place.url) as client:
        prefix = f"{{{store.place.namespace}}}:"
        of_the_worker = [f"lease:{worker.lease}", f"worker:{worker.id}"]
        hashes = [f"job:{job.seq}", *of_the_worker, "queue:default", "unique:k", "epoch"]
        for name in hashes:
            assert client.hset(f"{prefix}{name}", "of_tomorrow", "1") == 1, "such a field"
            assert client.hlen(f"{prefix}{name}") > 1, "of something that is there"
        [taken] = worker.take()
        worker.mark(taken)
        worker.renew()
        assert not worker.end(taken)
        assert [found.id for found in store.run(leases.workers())] == [worker.id]
        assert store.run(queues.settings())["default"].weight == 2
        store.run(tidy())
        assert store.job(job.id).state is State.COMPLETED
        left = {name for name in hashes if client.hget(f"{prefix}{name}", "of_tomorrow") == b"1"}
        assert left == {*hashes} - {"unique:k"}, "all but the key, which was given back"
