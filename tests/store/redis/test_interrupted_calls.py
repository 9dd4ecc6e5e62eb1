"""An administrator who holds the server up, or hangs up on one connection of ours."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from tests.servers.redis_node import RedisNode
from tests.store.builders import new_job
from tests.store.received_topics import ReceivedTopics
from tests.store.stores import Worker, open_store
from tests.waiting import eventually
from windlass.core.state import State
from windlass.errors import OutcomeUnknown
from windlass.store.driver import Topic
from windlass.store.operations import queries

SECONDS = 20


def held(node: RedisNode) -> set[str]:
    """Those whose calls the server keeps back."""
    with node.client() as client:
        return {line["addr"] for line in client.client_list() if "b" in line["flags"]}


def test_a_server_that_pauses_is_waited_for(node: RedisNode) -> None:
    """R6: CLIENT PAUSE, as long as the deadline allows."""
    with open_store(node.url, deadline=30) as store, ThreadPoolExecutor(1) as threads:
        with node.paused():
            enqueued = threads.submit(store.enqueue, new_job("a"))
            eventually(lambda: bool(held(node)))
            assert not enqueued.done()
        assert [job.id for job in enqueued.result()] == ["a"]


def test_a_pause_that_is_too_long_leaves_the_outcome_open(node: RedisNode) -> None:
    """R6, I10: CLIENT PAUSE; whoever gave up asks again, and nothing happens twice."""
    with open_store(node.url, deadline=0.3) as store:
        worker = store.a_worker()
        job = store.claimed(by=worker)
        with node.paused():
            with pytest.raises(OutcomeUnknown) as caught:
                store.enqueue(new_job("a"))
            assert caught.value.ids == ("a",)
            with pytest.raises(OutcomeUnknown):
                worker.end(job)
        assert [found.id for found in store.enqueue(new_job("a"))] == ["a"]
        assert not worker.end(job)
        assert store.run(queries.counts()) == {"default": {State.PENDING: 1, State.COMPLETED: 1}}


def enqueue(worker: Worker) -> object:
    return worker.store.enqueue(new_job("a"))


def renew(worker: Worker) -> object:
    return worker.renew()


def control(worker: Worker) -> object:
    return worker.control()


def read(worker: Worker) -> object:
    return worker.store.run(queries.counts())


@pytest.mark.parametrize("call", [enqueue, renew, control, read])
def test_a_connection_that_was_killed_while_idle_is_replaced_unnoticed(
    node: RedisNode, call: Callable[[Worker], object]
) -> None:
    """R6: CLIENT KILL of those for calls and of that for heartbeats."""
    with open_store(node.url) as store:
        worker = store.a_worker()
        worker.renew()
        old = set(node.clients())
        for address in old:
            node.command("CLIENT", "KILL", "ADDR", address)
        call(worker)
        assert not old & set(node.clients())


@pytest.mark.parametrize("call", [enqueue, renew])
def test_a_connection_that_was_killed_during_a_write_leaves_its_outcome_open(
    node: RedisNode, call: Callable[[Worker], object]
) -> None:
    """R6, I10: CLIENT KILL; the call may be repeated, by a connection of the same kind."""
    with open_store(node.url, deadline=30) as store, ThreadPoolExecutor(1) as threads:
        worker = store.a_worker()
        with node.paused():
            calling = threads.submit(call, worker)
            eventually(lambda: len(held(node)) == 1)
            [killed] = held(node)
            node.command("CLIENT", "KILL", "ADDR", killed)
            with pytest.raises(OutcomeUnknown):
                calling.result()
        call(worker)
        assert killed not in node.clients()
        assert worker.renew().is_open
        store.enqueue(new_job("a"))
        assert store.run(queries.counts()) == {"default": {State.PENDING: 1}}


def test_a_listener_that_was_killed_comes_back_and_is_told_to_look(node: RedisNode) -> None:
    """R6: CLIENT KILL of the connection for news; calls keep theirs."""
    received = ReceivedTopics()
    with open_store(node.url) as store:
        store.enqueue(new_job())
        callers = set(node.clients())
        with closing(store.driver.listen(received)):
            received.begins()
            node.command("CLIENT", "KILL", "TYPE", "pubsub")
            received.begins()
            assert callers <= set(node.clients())
            store.driver.notify(Topic.FINISHED)
            assert received.next() is Topic.FINISHED
