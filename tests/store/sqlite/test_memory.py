"""A database in memory: one process, one connection, gone with its store."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from tests.store.builders import TTL, ending, new_job
from tests.store.stores import Store
from windlass.core.state import State
from windlass.store.driver import Topic
from windlass.store.open import open_driver
from windlass.store.operations import queries
from windlass.store.operations.cycle import Claimant, cycle, finish
from windlass.store.operations.leases import WorkerReport, open_lease


@pytest.fixture(params=["", "?driver=stdlib"], ids=["apsw", "stdlib"])
def memory(request: pytest.FixtureRequest) -> Iterator[Store]:
    with closing(open_driver(f"sqlite:///:memory:{request.param}")) as driver:
        yield Store(driver)


def test_jobs_run_through_it(memory: Store) -> None:
    memory.enqueue(new_job("a"), new_job("b"))
    memory.run(open_lease(WorkerReport("w", "w", "idle", "{}"), lease="l", ttl=TTL))
    claimant = Claimant("w", "l", "t")
    claimed = memory.run(cycle(claimant, requests=[("default", 1)])).claimed
    memory.run(finish([ending(job) for job in claimed], worker="w"))
    assert memory.run(queries.counts()) == {"default": {State.PENDING: 1, State.COMPLETED: 1}}


def test_all_threads_see_the_same_jobs(memory: Store) -> None:
    with ThreadPoolExecutor(8) as pool:
        for _ in range(50):
            pool.submit(memory.enqueue, new_job())
            pool.submit(memory.count)
    assert memory.count() == 50


def test_another_store_has_other_jobs(memory: Store) -> None:
    memory.enqueue(new_job())
    with closing(open_driver("sqlite:///:memory:")) as driver:
        assert Store(driver).count() == 0


def test_there_is_no_news_of_other_processes(memory: Store) -> None:
    """A store in memory belongs to one process, which wakes its own workers: listening hears nothing."""
    heard: list[Topic] = []
    news = memory.driver.listen(heard.append)
    memory.enqueue(new_job())
    memory.driver.notify(Topic.WORK)
    news.close()
    assert heard == []
    assert memory.count() == 1, "the store goes on without its news"
