"""A driver of the test's own on a real file, with the real clock."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from tests.store.adding import add
from tests.store.places import SqlitePlace
from windlass.store.driver import Driver
from windlass.store.operation import Operation, drive
from windlass.store.operations import queries
from windlass.store.operations.enqueue import NewJob

A = TypeVar("A")


class Opened:
    """What a process does with its store, in one line each."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver

    def run(self, operation: Operation[A]) -> A:
        return drive(operation, self.driver.execute)

    def enqueue(self, *new: NewJob) -> None:
        self.run(add(new, {}))

    def count(self) -> int:
        self.driver.make()  # also of a store that nobody has used yet
        return sum(sum(states.values()) for states in self.run(queries.counts()).values())


@contextmanager
def opened(place: SqlitePlace, *, deadline: float = 5.0) -> Iterator[Opened]:
    driver = place.open(now=None, deadline=deadline)
    try:
        yield Opened(driver)
    finally:
        driver.close()


def is_intact(place: SqlitePlace) -> bool:
    return place.execute("PRAGMA integrity_check") == [("ok",)]
