"""Drivers on a database, with what a test needs of them in one line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from time import monotonic
from typing import Any

from tests.manual_clock import manual_clock
from tests.store.stores import Store, open_store
from windlass.store.operation import Lane
from windlass.store.postgres.connection import TimedConnection
from windlass.store.postgres.driver import PostgresDriver

Opening = Callable[..., Store]


@contextmanager
def opening(url: str) -> Iterator[Opening]:
    with ExitStack() as stack:

        def open_at(at: str = url, *, deadline: float = 20.0) -> Store:
            return stack.enter_context(open_store(at, clock=manual_clock(), deadline=deadline))

        yield open_at


def on_its_connection(store: Store, lane: Lane, statement: bytes) -> list[tuple[Any, ...]]:
    """Run something where the store's next call of this lane will run."""
    driver = store.driver
    assert isinstance(driver, PostgresDriver)

    def run(connection: TimedConnection) -> list[tuple[Any, ...]]:
        cursor = connection.execute(statement, prepare=False)
        return cursor.fetchall() if cursor.description else []

    return driver._pool.use(lane, run, until=monotonic() + 60)


@contextmanager
def threads(number: int = 1) -> Iterator[Callable[..., Future[Any]]]:
    """Runs things beside the test."""
    with closing(_Closing(number)) as pool:
        yield pool.submit


class _Closing(ThreadPoolExecutor):
    def close(self) -> None:
        self.shutdown(wait=True)
