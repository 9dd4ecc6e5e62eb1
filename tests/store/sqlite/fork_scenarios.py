"""Stories of forks, each for a process of its own.

Usage: python -m tests.store.sqlite.fork_scenarios URL STORY
"""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Event, Thread

from tests.store.builders import TTL, new_job
from tests.store.stores import Store
from tests.waiting import PATIENCE
from windlass.errors import StoreUnavailable
from windlass.store.open import open_driver
from windlass.store.operations import queries
from windlass.store.operations.leases import WorkerReport, open_lease

SECONDS = 20
"""How long a child may take before it counts as hung."""


def fork(work: Callable[[], object]) -> int:
    """Run in a child; its process id. The child's exit code is 0 only when the work was done."""
    child = os.fork()
    if child:
        return child
    signal.alarm(SECONDS)
    code = 1
    try:
        work()
        code = 0
    except BaseException as error:
        print(f"in the child: {error!r}", file=sys.stderr, flush=True)
    finally:
        os._exit(code)


def wait(child: int) -> None:
    _, status = os.waitpid(child, 0)
    assert status == 0, f"a child ended with status {status}"


def present(store: Store, *ids: str) -> None:
    missing = set(ids) - set(store.run(queries.find(ids)))
    assert not missing, f"missing: {missing}"


def enqueue_in_a_child(store: Store, url: str) -> None:
    store.enqueue(new_job("before"))
    assert store.count() == 1

    def work() -> None:
        store.enqueue(new_job("child"))
        present(store, "before", "child")

    wait(fork(work))
    store.enqueue(new_job("after"))
    present(store, "before", "child", "after")


def first_use_in_a_child(store: Store, url: str) -> None:
    wait(fork(lambda: store.enqueue(new_job("child"))))
    present(store, "child")


def many_children_at_once(store: Store, url: str) -> None:
    store.enqueue(new_job("before"))
    children = [fork(partial(store.enqueue, new_job(f"{number}"))) for number in range(8)]
    store.enqueue(new_job("meanwhile"))
    for child in children:
        wait(child)
    present(store, "meanwhile", *map(str, range(8)))


def a_child_of_a_child(store: Store, url: str) -> None:
    store.enqueue(new_job("before"))

    def work() -> None:
        store.enqueue(new_job("child"))
        wait(fork(lambda: store.enqueue(new_job("grandchild"))))
        store.enqueue(new_job("child again"))

    wait(fork(work))
    present(store, "before", "child", "grandchild", "child again")


def a_normal_end_of_the_child(store: Store, url: str) -> None:
    """The interpreter's own clean-up in the child must not touch what is the parent's."""
    store.enqueue(new_job("before"))
    child = os.fork()
    if not child:
        store.enqueue(new_job("child"))
        sys.exit(0)
    wait(child)
    store.enqueue(new_job("after"))
    present(store, "before", "child", "after")


def an_idle_child_that_ends_normally(store: Store, url: str) -> None:
    store.enqueue(new_job("before"))
    child = os.fork()
    if not child:
        sys.exit(0)
    wait(child)
    store.enqueue(new_job("after"))
    present(store, "before", "after")


def the_parent_closes_first(store: Store, url: str) -> None:
    """A child goes on when its parent has let the file go, and others come and go."""
    store.enqueue(new_job("before"))
    has_all_refusals, notify = os.pipe()
    is_closed, close = os.pipe()

    def work() -> None:
        store.enqueue(new_job("child"))
        os.write(notify, b"x")
        os.read(is_closed, 1)
        store.enqueue(new_job("child again"))
        present(store, "before", "child", "child again")

    child = fork(work)
    os.read(has_all_refusals, 1)
    store.driver.close()
    other = Store(open_driver(url))
    other.enqueue(new_job("other"))
    other.driver.close()
    os.write(close, b"x")
    wait(child)
    last = Store(open_driver(url))
    present(last, "before", "child", "other", "child again")
    last.driver.close()


def the_child_closes_and_opens_anew(store: Store, url: str) -> None:
    store.enqueue(new_job("before"))

    def work() -> None:
        store.enqueue(new_job("child"))
        store.driver.close()
        anew = Store(open_driver(url))
        anew.enqueue(new_job("anew"))
        anew.driver.close()

    wait(fork(work))
    store.enqueue(new_job("after"))
    present(store, "before", "child", "anew", "after")


def every_lane_works_in_the_child(store: Store, url: str) -> None:
    """Writing, reading and heartbeats had connections in the parent."""
    presence = WorkerReport("w", "w", "idle", "{}")
    store.enqueue(new_job("before"))
    store.run(open_lease(presence, lease="parent", ttl=TTL))

    def work() -> None:
        store.run(open_lease(presence, lease="child", ttl=TTL))
        store.enqueue(new_job("child"))
        assert store.count() == 2

    wait(fork(work))
    store.run(open_lease(presence, lease="parent again", ttl=TTL))


def a_fork_while_threads_write(store: Store, url: str) -> None:
    """No child may inherit a lock that was held, nor a half-made transaction."""
    store.enqueue(new_job("before"))
    is_over = Event()
    failures: list[str] = []

    def write(thread: int) -> None:
        number = 0
        while not is_over.is_set():
            try:
                store.enqueue(new_job(f"{thread}.{number}"))
                store.count()
            except Exception as error:
                failures.append(repr(error))
            number += 1

    threads = [Thread(target=write, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()

    def in_child(number: int) -> None:
        store.enqueue(new_job(f"child {number}"))
        store.count()

    try:
        for number in range(40):
            wait(fork(partial(in_child, number)))
    finally:
        is_over.set()
        for thread in threads:
            thread.join()
    assert not failures, failures[0]
    present(store, "before", *(f"child {number}" for number in range(40)))


def a_file_that_is_gone(store: Store, url: str) -> None:
    """Neither of them makes an empty file where they had one with jobs (Q5)."""
    store.enqueue(new_job("before"))
    path = Path(store.driver.name)
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()

    def is_missed() -> None:
        try:
            store.enqueue(new_job())
        except StoreUnavailable:
            assert not path.exists()
        else:
            raise AssertionError("the job went into a new file")

    wait(fork(is_missed))
    is_missed()
    path.touch()  # what the test looks at afterwards


def a_fork_while_somebody_listens(store: Store, url: str) -> None:
    """News goes on in the parent; the child has none of its parent's threads."""
    store.enqueue(new_job("before"))
    woken = Event()
    news = store.driver.listen(lambda topic: woken.set())
    for number in range(5):
        woken.clear()
        wait(fork(partial(store.enqueue, new_job(f"{number}"))))
        assert woken.wait(PATIENCE), "the child's commit was not noticed"
    news.close()
    present(store, "before", *map(str, range(5)))


STORIES: dict[str, Callable[[Store, str], None]] = {
    story.__name__: story
    for story in (
        enqueue_in_a_child,
        first_use_in_a_child,
        many_children_at_once,
        a_child_of_a_child,
        a_normal_end_of_the_child,
        an_idle_child_that_ends_normally,
        the_parent_closes_first,
        the_child_closes_and_opens_anew,
        every_lane_works_in_the_child,
        a_fork_while_threads_write,
        a_fork_while_somebody_listens,
        a_file_that_is_gone,
    )
}


def main(url: str, story: str) -> None:
    warnings.simplefilter("ignore", DeprecationWarning)  # newer Pythons warn of forks beside threads
    store = Store(open_driver(url, deadline=3.0))
    parent = os.getpid()
    STORIES[story](store, url)
    if os.getpid() == parent:
        store.driver.close()
        print("survived", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
