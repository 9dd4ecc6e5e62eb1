"""Real servers that are stopped, killed and started again, or that take no writes for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any

import psycopg
import pytest

from tests.faults.job_outcomes import assert_ended_once, await_all_done, await_runs, records, runs
from tests.faults.names import HOLD
from tests.faults.nodes import Node, node_of, place_at
from tests.faults.process import Process, Processes
from tests.ledger.apps import Apps, raises
from tests.leeway import leeway
from tests.places.place import ServerPlace
from tests.servers.redis_node import RedisNode
from tests.servers.running import free_port
from tests.waiting import PATIENCE, eventually
from windlass import Job, State, StoreUnavailable, Windlass

pytestmark = pytest.mark.usefixtures("hasty")

RETURN = 10.0
"""Seconds within which everything goes on by itself after the store's return."""


@pytest.fixture(scope="module", params=["postgres", "redis"])
def node(request: pytest.FixtureRequest) -> Iterator[Node]:
    """A server of these tests' own; each leaves it running."""
    with node_of(request.param) as made:
        yield made


@pytest.fixture
def place(node: Node) -> ServerPlace:
    return place_at(node)


def goes_on_as_if_nothing_had_been(app: Windlass, job: Job[Any], processes: Processes) -> None:
    """The store is back: what ran through its absence is recorded as the first attempt, and new jobs run."""
    back = monotonic()
    assert job.result(timeout=PATIENCE) == 1
    later = records(app, 5)
    await_all_done(later)
    assert monotonic() - back < leeway(RETURN)
    assert (job.refresh().attempt, job.record.crashes, raises(job.fence)) == (1, 0, 1)
    assert_ended_once(later, processes.folder)


def test_a_restart_shorter_than_the_lease_costs_nothing(node: Node, app: Windlass, processes: Processes) -> None:
    """S1: the run goes on, its job is not run again, and the producer's call waits for the server."""
    worker = processes.worker(lease="30s")
    job = app.enqueue(HOLD)
    worker.await_line("began")
    eventually(lambda: job.refresh().started_at is not None, "the run is marked as started")
    node.stop()
    processes.open_gate(job.id, 1)
    node.start()
    goes_on_as_if_nothing_had_been(app, job, processes)


def test_a_restart_longer_than_the_lease_is_survived(node: Node, app: Windlass, processes: Processes) -> None:
    """S1: what ended meanwhile is recorded, for nobody could rescue it; the rest goes on under a new lease."""
    worker = processes.worker(lease="3s", heartbeat="1s", concurrency=2)
    job = app.enqueue(HOLD)
    worker.await_line("began")
    eventually(lambda: job.refresh().started_at is not None, "the run is marked as started")
    node.stop()
    processes.open_gate(job.id, 1)
    worker.await_line("log lease lost")
    node.start()
    back = monotonic()
    eventually(lambda: job.refresh().done, "it is recorded")
    later = records(app, 5)
    await_all_done(later)
    assert monotonic() - back < leeway(RETURN)
    assert (job.state, job.attempt, job.record.crashes) == (State.COMPLETED, 1, 0)
    assert_ended_once(later, processes.folder)


def test_a_server_that_is_killed_under_load_loses_nothing(node: Node, app: Windlass, processes: Processes) -> None:
    """S2, G1: everything that was acknowledged is there and ends once, with an attempt for each run."""
    for _ in range(2):
        processes.worker(lease="20s")
    producer = processes.start("steady_producer")
    await_stored(producer, 50)
    for _ in range(3):
        node.kill()
        producer.await_line("away")
        node.start()
        back = monotonic()
        await_stored(producer, 50)
        assert monotonic() - back < leeway(RETURN)
    producer.write_line()
    jobs = [app.job(f"job-{number}") for number in range(int(producer.await_line("in all")))]
    await_all_done(jobs)
    ran = runs(processes.folder)
    assert {job.state for job in jobs} == {State.COMPLETED}
    assert [job.id for job in jobs if job.attempt != 1 or ran[job.id] != 1] == []
    assert app.counts()[State.COMPLETED] == len(jobs)


def await_stored(producer: Process, count: int) -> None:
    for _ in range(count):
        producer.await_line("stored")


def connected(node: Node) -> psycopg.Connection[Any] | None:
    """A connection, if the server has one left."""
    try:
        return psycopg.connect(node.url)
    except psycopg.OperationalError:
        return None


@contextmanager
def crowded(node: Node) -> Iterator[None]:
    """Take every connection that the server still has to give."""
    with ExitStack() as crowd:
        if isinstance(node, RedisNode):
            client = crowd.enter_context(node.client())
            client.config_set("maxclients", len(client.client_list()))
            crowd.callback(client.config_set, "maxclients", 10_000)
        else:
            while (connection := connected(node)) is not None:
                crowd.enter_context(closing(connection))
        yield


def test_a_server_without_a_free_connection_is_waited_for(node: Node, place: ServerPlace, processes: Processes) -> None:
    """S6: who has connections goes on, who needs one is told why, and gets it later."""
    with Apps(place, store_deadline=1) as apps:
        settled, latecomer = apps(), apps()
        processes.worker(lease="30s")
        await_all_done(records(settled, 3))
        with crowded(node):
            jobs = records(settled, 20)
            await_all_done(jobs)
            with pytest.raises(StoreUnavailable, match=r"too many clients|max number of clients"):
                latecomer.counts()
        eventually(lambda: not is_away(latecomer), "there is a connection again")
        assert_ended_once(jobs, processes.folder)


def is_away(app: Windlass) -> bool:
    try:
        app.counts()
    except StoreUnavailable:
        return True
    return False


def test_one_connection_for_calls_is_enough(place: ServerPlace, tmp_path: Path) -> None:
    """S6: heartbeats have their own, so that calls which wait for their turn cost no lease."""
    narrow = replace(place, url=f"{place.url}?pool=1")
    with Apps(narrow) as apps, closing(Processes(narrow, tmp_path)) as processes:
        app = apps()
        processes.worker(lease="1s", concurrency=8)
        jobs = records(app, 200)
        await_all_done(jobs)
        assert_ended_once(jobs, tmp_path)


@contextmanager
def read_only(node: Node) -> Iterator[None]:
    """As during a failover: the server answers, and takes no writes."""
    if isinstance(node, RedisNode):
        node.command("REPLICAOF", "127.0.0.1", str(free_port()))
        yield
        node.command("REPLICAOF", "NO", "ONE")
    else:
        with closing(psycopg.connect(node.url, autocommit=True)) as connection:
            connection.execute("ALTER DATABASE postgres SET default_transaction_read_only = on")
            connection.execute(END_OTHERS)
            yield
            connection.execute("ALTER DATABASE postgres RESET default_transaction_read_only")


END_OTHERS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'windlass'"


def test_a_server_that_takes_no_writes_is_waited_for(node: Node, app: Windlass, processes: Processes) -> None:
    """S7, G1: a run that ends meanwhile is recorded when it takes writes again, as the first attempt."""
    worker = processes.worker(lease="30s")
    job = app.enqueue(HOLD)
    worker.await_line("began")
    eventually(lambda: job.refresh().started_at is not None, "the run is marked as started")
    with read_only(node):
        processes.open_gate(job.id, 1)
        worker.await_line("log store unavailable, trying until it is back")
    goes_on_as_if_nothing_had_been(app, job, processes)


@pytest.mark.parametrize("node", ["postgres"], indirect=True)
def test_every_postgres_connection_may_be_terminated(node: Node, app: Windlass, processes: Processes) -> None:
    """G3: each in turn, under load; only that one is replaced, and the one that listens comes back within 2 s."""
    processes.worker(lease="30s")
    jobs = records(app, 1000)
    with closing(psycopg.connect(node.url, autocommit=True)) as connection:

        def backends(condition: str = "true") -> list[int]:
            of_us = f"SELECT pid FROM pg_stat_activity WHERE application_name = 'windlass' AND {condition}"
            return [pid for (pid,) in connection.execute(of_us.encode())]

        for _ in range(3):
            for pid in backends():
                connection.execute("SELECT pg_terminate_backend(%s)", [pid])
        eventually(lambda: backends("query LIKE 'LISTEN%'"), "somebody listens")
        for pid in backends("query LIKE 'LISTEN%'"):
            connection.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])  # and wait until it is gone
            ended = monotonic()
            eventually(lambda: backends("query LIKE 'LISTEN%'"), "somebody listens again")
            assert monotonic() - ended < leeway(2)
    await_all_done(jobs)
    assert_ended_once(jobs, processes.folder)


@pytest.mark.parametrize("node", ["redis"], indirect=True)
@pytest.mark.parametrize("kind", ["normal", "pubsub"])
def test_every_redis_connection_may_be_killed(node: RedisNode, app: Windlass, processes: Processes, kind: str) -> None:
    """R6: CLIENT KILL of all that call or all that listen, under load; they come back by themselves."""
    processes.worker(lease="30s")
    jobs = records(app, 600)
    for least in range(0, 600, 100):
        await_runs(processes.folder, least)
        node.command("CLIENT", "KILL", "TYPE", kind, "SKIPME", "yes")
    ended = monotonic()
    eventually(lambda: node.command("PUBSUB", "CHANNELS"), "somebody listens again")
    assert monotonic() - ended < leeway(2)
    await_all_done(jobs)
    assert_ended_once(jobs, processes.folder)
