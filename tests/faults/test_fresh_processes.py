"""Worker processes that begin while the store is away: those that go on where another one was wait for it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic
from urllib.parse import urlsplit, urlunsplit

import pytest

from tests.cli.program import Program, Running
from tests.faults.proxy import Proxy
from tests.ledger.apps import Apps
from tests.leeway import leeway
from tests.places.place import Place, ServerPlace
from tests.waiting import PATIENCE, eventually
from windlass import Windlass

pytestmark = pytest.mark.only_on("postgres", "redis")
of_parents = pytest.mark.only_on("redis")
"""A parent sees processes that wait, whatever the store is that they wait for."""

DEADLINE = 1.0
LEFT = 5.0
"""Seconds within which a process is gone that has nothing to finish."""
WAITS = "store unavailable, starting when it is back"
IS_BACK = "windlass.worker: the store is back"

JOBS = """
import os
import uuid

from windlass import Windlass

app = Windlass(namespace={namespace!r}, store_deadline={deadline})
life = uuid.uuid4().hex
print("loaded", flush=True)


@app.task(name="life")
def live() -> tuple[int, str]:
    return os.getpid(), life
"""


@pytest.fixture
def near(place: Place) -> Iterator[Windlass]:
    """An app that reaches the store whatever happens to the others."""
    with Apps(place) as apps:
        yield apps()


@pytest.fixture
def shop(far: ServerPlace, tmp_path: Path) -> Iterator[Program]:
    """The command line behind the proxy."""
    program = Program(tmp_path, far)
    program.write("jobs.py", JOBS.format(namespace=far.namespace, deadline=DEADLINE))
    yield program
    program.app.close(wait=False)


def life(near: Windlass) -> tuple[int, str]:
    """Of the process in which the next job runs."""
    pid, name = near.enqueue("life").result(timeout=PATIENCE)
    return pid, name


def lives(near: Windlass) -> set[int]:
    """The processes of the workers that live."""
    return {worker.info["pid"] for worker in near.workers() if worker.state != "lost"}


def how_often(worker: Running, text: str) -> int:
    return sum(text in line for line in worker.shown)


def test_a_worker_that_goes_on_in_a_fresh_process_waits_for_its_store(
    near: Windlass, shop: Program, proxy: Proxy
) -> None:
    """B26, B11: it says so once, and once that it is over; as often as it is asked for a fresh process meanwhile."""
    with shop.start("worker", "--grace", "1s") as worker:
        before = life(near)
        # A claim under way may have been carried out: the process would wait for the store, to know what it has.
        eventually(lambda: proxy.is_quiet, "nothing is under way")
        proxy.turn_away()
        worker.signal(signal.SIGHUP)
        worker.wait_for(WAITS)
        worker.signal(signal.SIGHUP)
        worker.wait_for(WAITS)
        tried = len(proxy.attempts)
        eventually(lambda: len(proxy.attempts) > tried + 2)  # it goes on trying, and has nothing more to say
        proxy.restore()
        worker.wait_for(IS_BACK)
        after = life(near)
        assert after[0] == before[0] == worker.pid
        assert after[1] != before[1]
        assert (how_often(worker, WAITS), how_often(worker, IS_BACK)) == (2, 1)
        worker.signal(signal.SIGTERM)
        assert worker.code() == 0


@pytest.mark.varied_on("postgres")
@pytest.mark.parametrize("lose", [Proxy.turn_away, Proxy.swallow], ids=["refused", "swallowed"])
def test_one_that_waits_for_its_store_leaves_at_once(
    near: Windlass, shop: Program, far: ServerPlace, proxy: Proxy, lose: Callable[[Proxy], None]
) -> None:
    """B7: its call to the store, which may take much longer, does not hold the signal up."""
    # One call may be under way when the store is lost, and the worker that drains waits for it.
    shop.write("jobs.py", JOBS.format(namespace=far.namespace, deadline=PATIENCE / 3))
    with shop.start("worker", "--grace", "100ms") as worker:
        worker.wait_for("loaded")
        life(near)
        eventually(lambda: proxy.is_quiet, "nothing is under way")
        lose(proxy)
        worker.signal(signal.SIGHUP)
        worker.wait_for("loaded")
        tried = len(proxy.attempts)
        eventually(lambda: len(proxy.attempts) > tried)
        began = monotonic()
        worker.signal(signal.SIGTERM)
        assert worker.code() == 0
        assert monotonic() - began < leeway(LEFT)


def test_one_that_is_started_by_hand_says_that_the_store_is_away(shop: Program, proxy: Proxy) -> None:
    """B26: service managers start it again."""
    proxy.refuse()
    began = monotonic()
    assert shop("worker").is_error(1, "127.0.0.1")
    assert monotonic() - began < leeway(DEADLINE + LEFT)


@pytest.mark.varied_on("postgres")
@pytest.mark.parametrize("count", ["1", "2"])
def test_a_store_that_may_not_be_used_ends_them_all(shop: Program, far: ServerPlace, count: str) -> None:
    """S8: wrong from the start, so to start them again would change nothing."""
    no_such_database = urlunsplit(urlsplit(far.url)._replace(path="/999"))
    answer = shop("worker", "--processes", count, WINDLASS_URL=no_such_database)
    assert answer.code == 2
    assert "999" in answer.error
    assert "starting another one" not in answer.error


@of_parents
def test_worker_processes_under_a_parent_wait_for_the_store(near: Windlass, shop: Program, proxy: Proxy) -> None:
    """B26: a dead one is replaced once, not again and again."""
    with shop.start("worker", "--processes", "2", "--grace", "1s") as parent:
        eventually(lambda: len(lives(near)) == 2)
        victim = min(lives(near))
        proxy.turn_away()
        os.kill(victim, signal.SIGKILL)
        parent.wait_for(WAITS)
        tried = len(proxy.attempts)
        eventually(lambda: len(proxy.attempts) > tried + 10)
        proxy.restore()
        parent.wait_for(IS_BACK)
        eventually(lambda: len(lives(near) - {victim}) == 2)
        assert how_often(parent, "starting another one") == 1
        parent.signal(signal.SIGTERM)
        assert parent.code() == 0


@of_parents
def test_the_first_ones_wait_too_and_leave_at_once(shop: Program, proxy: Proxy) -> None:
    """B26, B7: under a parent."""
    proxy.refuse()
    with shop.start("worker", "--processes", "2") as parent:
        for _ in range(2):
            parent.wait_for(WAITS)
        began = monotonic()
        parent.signal(signal.SIGTERM)
        assert parent.code() == 0
        assert monotonic() - began < leeway(LEFT)


@of_parents
def test_a_replacement_of_all_goes_on_when_the_store_is_back(near: Windlass, shop: Program, proxy: Proxy) -> None:
    """B26: nobody leaves before its successor is ready.

    On a busy machine an old process may have no time to take leave of a store that is just back: it counts as lost when
    its lease is over, so the lease is short.
    """
    with shop.start("worker", "--processes", "2", "--grace", "1s", "--lease", "5s") as parent:
        # A process that has a lease, and is not ready yet, would wait for the store in place of a successor.
        eventually(lambda: len(lives(near)) == 2 and how_often(parent, "  concurrency  ") == 2)
        before = lives(near)
        proxy.turn_away()
        parent.signal(signal.SIGHUP)
        parent.wait_for(WAITS)
        proxy.restore()
        parent.wait_for(IS_BACK)
        eventually(lambda: len(lives(near)) == 2 and not lives(near) & before)
        assert how_often(parent, "keeping the ones there are") == 0
        parent.signal(signal.SIGTERM)
        assert parent.code() == 0
