"""Replicas: what is lost when one takes over that was behind, and a server that does not get ahead of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.servers.redis_node import RedisNode
from tests.store.builders import new_job
from tests.store.redis.keyspace import Keyspace
from tests.store.redis.replicated import replicated
from tests.store.redis.test_connections import read
from tests.store.stores import Worker, open_store
from windlass.core.records import Claimed
from windlass.core.state import State
from windlass.errors import OutcomeUnknown, StoreUnavailable
from windlass.store.operations import queries


@pytest.mark.parametrize("is_same_process", [True, False])
def test_fences_do_not_repeat_when_a_replica_takes_over_that_was_behind(is_same_process: bool) -> None:
    """R3: whatever the old primary handed out meanwhile is refused by the new one, whoever claims there."""
    with replicated() as servers, open_store(servers.url, deadline=30) as store, open_store(servers.url) as stranger:
        worker, rival = store.a_worker(), stranger.a_worker()
        store.enqueue(new_job("kept"), new_job("claimed"), new_job("ended"))
        [kept] = worker.take(1)
        servers.catch_up()
        servers.fall_behind()
        claimed, ended = worker.take(2)
        assert not worker.end(ended)
        store.enqueue(new_job("lost"))
        servers.fail_over()

        new_owner = worker if is_same_process else rival
        again = new_owner.take()
        assert [job.id for job in again] == ["claimed", "ended"], "their claims got lost, and one ending"
        assert min(job.fence for job in again) > max(claimed.fence, ended.fence)
        for old in (claimed, ended):
            assert worker.end(old), "an ending of before is refused"
        assert not worker.end(kept), "what the replica had is still its owner's"
        for job in again:
            assert not new_owner.end(job)
        assert not store.exists("lost")
        assert store.run(queries.counts()) == {"default": {State.COMPLETED: 3}}
        Keyspace(servers.replica.url, "windlass").check()


def test_numbers_of_the_old_primary_are_not_given_to_other_jobs() -> None:
    """R3: who still runs a job that got lost does not end one of the new primary's."""
    with replicated() as servers, open_store(servers.url, deadline=30) as store:
        worker = store.a_worker()
        servers.catch_up()
        servers.fall_behind()
        lost = store.claimed(new_job("lost"), by=worker)
        servers.fail_over()
        found = store.claimed(new_job("found"), by=worker)
        assert found.seq != lost.seq
        assert worker.end(lost)
        assert store.job("found").state is State.RUNNING


def enqueue_one(worker: Worker, job: Claimed) -> None:
    worker.store.enqueue(new_job("refused"))


def enqueue_with_a_key(worker: Worker, job: Claimed) -> None:
    worker.store.enqueue(new_job("refused", key="k"))


def end(worker: Worker, job: Claimed) -> None:
    worker.end(job)


def take(worker: Worker, job: Claimed) -> None:
    worker.take()


def renew(worker: Worker, job: Claimed) -> None:
    worker.renew()


@pytest.mark.parametrize("call", [enqueue_one, enqueue_with_a_key, end, take, renew])
def test_a_server_that_wants_replicas_takes_nothing_without_them(
    node: RedisNode, call: Callable[[Worker, Claimed], None]
) -> None:
    """R3, I10: NOREPLICAS means that nothing was carried out, and that is what the caller hears."""
    with open_store(node.url) as store, open_store(node.url, deadline=0.2) as hasty:
        worker = store.a_worker()
        job = store.claimed(by=worker)
        store.enqueue(new_job("before"))
        read(hasty)
        before = Keyspace(node.url, "windlass").values
        node.command("CONFIG", "SET", "min-replicas-to-write", "1")
        with pytest.raises(StoreUnavailable, match="too few replicas to take writes") as caught:
            call(replace(worker, store=hasty), job)
        assert not isinstance(caught.value, OutcomeUnknown)
        assert Keyspace(node.url, "windlass").values == before
        node.command("CONFIG", "SET", "min-replicas-to-write", "0")
        assert not worker.end(job), "its fence still holds"
        assert [taken.id for taken in worker.take()] == ["before"]


def test_a_server_that_takes_no_writes_can_be_read_by_who_comes_now(node: RedisNode) -> None:
    """R3: people look at such a store first of all, with a program that they have just started."""
    with open_store(node.url) as store, open_store(node.url, deadline=1) as newcomer:
        store.enqueue(new_job())
        node.command("CONFIG", "SET", "min-replicas-to-write", "1")
        assert newcomer.run(queries.counts()) == {"default": {State.PENDING: 1}}
