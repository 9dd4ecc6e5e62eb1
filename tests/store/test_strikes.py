"""Exceptions from outside at every place of a call: Ctrl-C, a signal handler that raises, one set by another thread.

Wherever they strike, nothing stays held: the same driver and another one can write at once, and what a caller was told
is true.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import count

import pytest

from tests.store.builders import new_job
from tests.store.stores import Store
from tests.strikes import Strike, Striker, sweep, without_standstill
from windlass.errors import ReentrantCall
from windlass.store.driver import Driver, Topic
from windlass.store.operations import queries
from windlass.store.postgres.driver import PostgresDriver
from windlass.store.redis.driver import RedisDriver
from windlass.store.sqlite.driver import SqliteDriver

OURS = ("windlass", "threading", "contextlib")

# An exception between the opening of a connection and our taking hold of it leaves it to the interpreter to close.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed database:ResourceWarning")


@pytest.fixture(autouse=True)
def _garbage_is_collected() -> Iterator[None]:
    """Here, not in the middle of another test, which would be blamed for it."""
    yield
    gc.collect()


def counts(store: Store) -> object:
    return store.run(queries.counts())


def check_at_rest(store: Store, rival: Store, striker: Striker) -> None:
    """Both can write, in either order."""
    for each in (rival, store):
        each.enqueue(new_job())
    assert store.run(queries.counts()), striker.struck


@pytest.fixture
def rival(store: Store) -> Store:
    """What another process has; it does not wait long for a lock."""
    store.enqueue(new_job())
    other = store.another(deadline=2)
    other.enqueue(new_job())
    return other


@pytest.mark.parametrize("error", [Strike, KeyboardInterrupt])
def test_a_write_that_is_struck_anywhere_leaves_nothing_held(
    store: Store, rival: Store, error: type[BaseException]
) -> None:
    for place, striker in enumerate(sweep(*OURS, error=error)):
        name = f"job-{place}"
        told = striker.during(partial(store.enqueue, new_job(name)))
        assert told is None or isinstance(told, error), (striker.struck, told)
        if told is None:
            assert store.exists(name), striker.struck
        check_at_rest(store, rival, striker)


def test_a_read_that_is_struck_anywhere_leaves_nothing_held(store: Store, rival: Store) -> None:
    for striker in sweep(*OURS):
        told = striker.during(partial(counts, store))
        assert told is None or isinstance(told, Strike), (striker.struck, told)
        check_at_rest(store, rival, striker)


def test_news_that_are_struck_anywhere_leave_nothing_held(store: Store, rival: Store) -> None:
    for striker in sweep(*OURS):
        striker.during(lambda: store.driver.notify(Topic.CONTROL))
        store.driver.notify(Topic.CONTROL)
        check_at_rest(store, rival, striker)


def test_a_first_call_that_is_struck_anywhere_can_be_made_again(store: Store, rival: Store) -> None:
    for place, striker in enumerate(sweep(*OURS, step=7)):
        fresh = store.another(deadline=2)
        striker.during(partial(counts, fresh))
        fresh.enqueue(new_job(f"job-{place}"))
        rival.enqueue(new_job())
        fresh.driver.close()


class Finalised(Striker):
    """Runs a finaliser at the place, on whose thread no call may be under way that would refuse another one."""

    def __init__(self, place: int, finaliser: Callable[[], object]) -> None:
        super().__init__(place, modules=OURS)
        self._finaliser = finaliser

    def _strike(self) -> None:
        with suppress(ReentrantCall):
            self._finaliser()


def _work_of_our_own(driver: Driver) -> Callable[[], object]:
    if isinstance(driver, SqliteDriver):
        return driver._look_for_commits
    if isinstance(driver, PostgresDriver):
        return partial(driver._send, Topic.WORK)
    assert isinstance(driver, RedisDriver)
    return partial(driver._publish, Topic.WORK)


def test_a_finaliser_on_a_thread_of_our_own_does_not_wait_for_what_that_has(store: Store, rival: Store) -> None:
    """The thread that looks for commits has the turn to write, the one that notifies has a connection and a lock."""
    work = _work_of_our_own(store.driver)

    def strike() -> None:
        for place in count():
            striker = Finalised(place, partial(store.enqueue, new_job()))
            assert striker.during(work) is None, striker.struck
            if striker.struck is None:
                return

    without_standstill(strike)
    check_at_rest(store, rival, Striker(0, modules=OURS))
