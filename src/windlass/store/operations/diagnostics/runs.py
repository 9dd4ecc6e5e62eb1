"""Running jobs that take long."""

from __future__ import annotations

from msgspec import Struct

from windlass.store.answers import records
from windlass.store.operation import Call, Lane, Operation


class LongRun(Struct, frozen=True, array_like=True):
    """A job that has run for long, by the store's clock."""

    id: str
    task: str
    queue: str
    worker: str | None
    ran_for: int
    """Milliseconds since it began, or was claimed."""


def long_runs(age: int, *, limit: int = 100) -> Operation[list[LongRun]]:
    """Jobs that have run for so many milliseconds or longer, the longest first."""
    answer = yield Call("long_runs", {"age": age, "limit": limit}, Lane.READ)
    return records(answer["runs"], LongRun)
