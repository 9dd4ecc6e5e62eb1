"""A story of a fork beside a listener, for a process of its own.

Usage: python -m tests.store.postgres.fork_scenario URL
"""

from __future__ import annotations

import os
import sys
import threading
import warnings
from functools import partial
from threading import Event

from tests.store.builders import new_job
from tests.store.sqlite.fork_scenarios import fork, present, wait
from tests.store.stores import Store
from tests.waiting import PATIENCE, eventually
from windlass.store.driver import News, Topic
from windlass.store.open import open_driver


def main(url: str) -> None:
    """News goes on in the parent; the child has none of its parent's threads, and is heard as another process."""
    warnings.simplefilter("ignore", DeprecationWarning)  # newer Pythons warn of forks beside threads
    store = Store(open_driver(url, deadline=3.0))
    store.enqueue(new_job("before"))
    heard = {topic: Event() for topic in Topic}
    news = store.driver.listen(lambda topic: heard[topic].set())
    for topic in Topic:
        assert heard[topic].wait(PATIENCE)

    def in_child(number: int) -> None:
        store.enqueue(new_job(f"{number}"))
        store.driver.notify(Topic.WORK)

    for number in range(5):
        heard[Topic.WORK].clear()
        wait(fork(partial(in_child, number)))
        assert heard[Topic.WORK].wait(PATIENCE), "the child was not heard"
    close_beside_a_child(news)
    present(store, "before", *map(str, range(5)))
    store.driver.close()
    print("survived", flush=True)


def close_beside_a_child(news: News) -> None:
    """A child that lives on has copies of everything that is open; the parent's listener must end all the same."""
    told, notify = os.pipe()
    child = fork(lambda: _ends_when_told(told))
    news.close()
    eventually(lambda: not any(thread.name == "windlass-news" for thread in threading.enumerate()))
    os.write(notify, b"x")
    wait(child)


def _ends_when_told(told: int) -> None:
    os.read(told, 1)


if __name__ == "__main__":
    main(sys.argv[1])
