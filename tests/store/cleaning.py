"""What a round of cleaning asks of a store, as one operation."""

from __future__ import annotations

from windlass.core.state import State
from windlass.store.operation import Operation
from windlass.store.operations.upkeep import prune
from windlass.store.operations.upkeep.prune import FinishedLine, Prunable
from windlass.store.operations.upkeep.tidy import (
    FIRST_KEY,
    tidy_access,
    tidy_cache,
    tidy_events,
    tidy_keys,
    tidy_leftovers,
    tidy_windows,
)


def tidy() -> Operation[None]:
    """Everything besides jobs, until there is nothing left to do."""
    for part in (tidy_events, tidy_leftovers, tidy_access, tidy_windows, tidy_cache):
        while (yield from part()):
            pass
    after: str | None = FIRST_KEY
    while after is not None:
        after = yield from tidy_keys(after)


def prunable(
    *, queue: str = "default", state: State = State.COMPLETED, age: int, keep: int
) -> Operation[list[Prunable]]:
    """The first page of what retention lets go of."""
    line = FinishedLine(queue, state)
    end = yield from prune.retention_position(line, keep=keep)
    found = yield from prune.prunable(line, age=age, beyond=end)
    return found
