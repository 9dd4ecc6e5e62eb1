"""Stories of forks, each for a process of its own.

Usage: python -m tests.store.redis.fork_scenarios URL STORY
"""

from __future__ import annotations

import sys
import warnings
from contextlib import closing
from functools import partial
from threading import Event, Thread

from tests.store.builders import new_job
from tests.store.received_topics import ReceivedTopics
from tests.store.sqlite.fork_scenarios import fork, wait
from tests.store.stores import Store, open_store
from windlass.store.driver import Topic


def enqueue(store: Store, id: str) -> None:
    store.enqueue(new_job(id))


def enqueue_in_a_child(store: Store) -> None:
    store.enqueue(new_job("before"))

    def work() -> None:
        store.enqueue(new_job("child"))
        assert store.exists("before")

    wait(fork(work))
    assert store.exists("child")
    store.enqueue(new_job("after"))
    assert store.exists("after")


def first_use_in_a_child(store: Store) -> None:
    wait(fork(lambda: enqueue(store, "child")))
    assert store.exists("child")


def a_child_that_closes(store: Store) -> None:
    """The parent's connections go on."""
    store.enqueue(new_job("before"))
    wait(fork(store.driver.close))
    store.enqueue(new_job("after"))
    assert store.exists("after")


def many_children_beside_busy_threads(store: Store) -> None:
    """Locks that another thread held at the moment of the fork stay with the parent."""
    over = Event()

    def work() -> None:
        while not over.is_set():
            store.enqueue(new_job())
            store.driver.notify(Topic.WORK)

    threads = [Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for number in range(20):
        wait(fork(partial(enqueue, store, f"child-{number}")))
        assert store.exists(f"child-{number}")
    over.set()
    for thread in threads:
        thread.join()


def news_in_parent_and_child(store: Store) -> None:
    def listen_and_tell() -> None:
        received = ReceivedTopics()
        with closing(store.driver.listen(received)):
            received.begins()
            store.driver.notify(Topic.CONTROL)
            assert received.next() is Topic.CONTROL

    with closing(store.driver.listen(lambda topic: None)):
        wait(fork(listen_and_tell))
        listen_and_tell()


STORIES = {
    story.__name__: story
    for story in (
        enqueue_in_a_child,
        first_use_in_a_child,
        a_child_that_closes,
        many_children_beside_busy_threads,
        news_in_parent_and_child,
    )
}


def main(url: str, story: str) -> None:
    # Python warns of forks beside threads; that it works all the same is what is told here.
    warnings.simplefilter("ignore", DeprecationWarning)
    with open_store(url) as store:
        STORIES[story](store)
    print("survived", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
