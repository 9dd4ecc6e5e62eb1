"""Operations taken one call at a time, so that a test can put something between two calls."""

from __future__ import annotations

from typing import Generic, TypeVar

from tests.store.stores import Store
from windlass.store.operation import Answer, Call, Operation

A = TypeVar("A")


class Stepwise(Generic[A]):
    """An operation that waits between its calls for the test's next word."""

    def __init__(self, store: Store, operation: Operation[A]) -> None:
        self._store = store
        self._operation = operation
        self._call: Call | None = next(operation)
        self._result: list[A] = []

    def step(self, name: str) -> None:
        """Carry out the next call, which must be this one."""
        assert self._call is not None, "the operation has ended"
        assert self._call.name == name
        self._send(self._store.driver.execute(self._call))

    def lose_answer(self) -> None:
        """Carry out the next call, then give up as if its answer had never come."""
        assert self._call is not None, "the operation has ended"
        self._store.driver.execute(self._call)
        self._operation.close()
        self._call = None

    def end(self) -> A:
        """Carry out whatever is left."""
        while self._call is not None:
            self.step(self._call.name)
        [result] = self._result
        return result

    def _send(self, answer: Answer) -> None:
        try:
            self._call = self._operation.send(answer)
        except StopIteration as stop:
            self._call = None
            self._result.append(stop.value)
