"""A store whose calls a test watches, or makes fail."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from tests.store.stores import Store
from windlass.errors import StoreUnavailable
from windlass.store.operation import Answer, Call, Operation, drive

A = TypeVar("A")


class WatchedCalls:
    """Carries out calls as the store does; ``before`` may raise instead, ``after`` sees what was answered."""

    def __init__(
        self,
        store: Store,
        *,
        before: Callable[[Call], None] = lambda call: None,
        after: Callable[[Call], None] = lambda call: None,
    ) -> None:
        self._store = store
        self._before = before
        self._after = after
        self.calls: list[Call] = []
        self.answers: list[tuple[str, Answer]] = []

    def run(self, operation: Operation[A]) -> A:
        return drive(operation, self._execute)

    def names(self) -> list[str]:
        return [call.name for call in self.calls]

    def sizes(self, name: str) -> list[int]:
        """How many bytes each answer to this call had, about."""
        return [len(repr(answer)) for found, answer in self.answers if found == name]

    def _execute(self, call: Call) -> Answer:
        self.calls.append(call)
        self._before(call)
        answer = self._store.driver.execute(call)
        self.answers.append((call.name, answer))
        self._after(call)
        return answer


def too_much(name: str, part: str, *, most: int) -> Callable[[Call], None]:
    """A store that cannot carry out this call with more than so many rows in time."""

    def fail(call: Call) -> None:
        if call.name == name and len(call.params[part]) > most:
            raise StoreUnavailable("the server took too long")

    return fail


def each_of(*fails: Callable[[Call], None]) -> Callable[[Call], None]:
    """A store with several weaknesses."""

    def fail(call: Call) -> None:
        for one in fails:
            one(call)

    return fail


def never(name: str, holds: Callable[[Any], bool]) -> Callable[[Call], None]:
    """A store that cannot carry out this call with such parameters at all."""

    def fail(call: Call) -> None:
        if call.name == name and holds(call.params):
            raise StoreUnavailable("the server took too long")

    return fail
