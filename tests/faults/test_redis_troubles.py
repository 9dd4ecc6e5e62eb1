"""R6: a Redis server that answers with anything but what it was asked for, under real workers with much to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from time import monotonic

import pytest
import redis

from tests.faults.job_outcomes import assert_ended_once, await_all_done, await_runs, records
from tests.faults.nodes import DURABLE, place_at
from tests.faults.process import Processes
from tests.leeway import leeway
from tests.places.place import ServerPlace
from tests.servers.redis_node import RedisNode, redis_node
from windlass import Windlass

pytestmark = pytest.mark.usefixtures("hasty")

RETURN = 10.0
"""Seconds within which everything goes on by itself when the trouble is over."""
ENDLESS = "while true do end"


@pytest.fixture(scope="module")
def node() -> Iterator[RedisNode]:
    """A server of these tests' own; each leaves it in order."""
    with redis_node(settings=DURABLE | {"lua-time-limit": "1"}) as running:
        yield running


@pytest.fixture
def place(node: RedisNode) -> ServerPlace:
    return place_at(node)


@contextmanager
def busy(node: RedisNode) -> Iterator[None]:
    """BUSY: with a script of somebody else."""
    with ThreadPoolExecutor(1) as threads:
        endless = threads.submit(node.command, "EVAL", ENDLESS, "0")
        yield
        node.command("SCRIPT", "KILL")
        with pytest.raises(redis.ResponseError, match="killed"):
            endless.result()


@contextmanager
def without_replicas(node: RedisNode) -> Iterator[None]:
    """NOREPLICAS."""
    node.command("CONFIG", "SET", "min-replicas-to-write", "1")
    yield
    node.command("CONFIG", "SET", "min-replicas-to-write", "0")


@pytest.mark.parametrize("trouble", [RedisNode.paused, busy, without_replicas])
def test_a_trouble_longer_than_the_deadline_costs_nothing(
    node: RedisNode,
    app: Windlass,
    processes: Processes,
    trouble: Callable[[RedisNode], AbstractContextManager[None]],
) -> None:
    """R6, I1, I4, I8: the worker says so and goes on; each job ends once, as its first attempt."""
    worker = processes.worker(lease="30s")
    jobs = records(app, 400)
    await_runs(processes.folder, 50)
    with trouble(node):
        worker.await_line("log store unavailable, trying until it is back")
    over = monotonic()
    jobs += records(app, 5)
    await_all_done(jobs)
    assert monotonic() - over < leeway(RETURN)
    assert_ended_once(jobs, processes.folder)


def test_scripts_may_be_forgotten_again_and_again(node: RedisNode, app: Windlass, processes: Processes) -> None:
    """R6: SCRIPT FLUSH between calls, which nobody notices."""
    processes.worker(lease="30s")
    jobs = records(app, 400)
    for least in range(0, 400, 40):
        await_runs(processes.folder, least)
        node.command("SCRIPT", "FLUSH")
    await_all_done(jobs)
    assert_ended_once(jobs, processes.folder)
