"""Trips tasks: from so many failures of one cause in a window on, a task cools down, so that its backlog waits."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import astuple

from windlass.store.answers import records
from windlass.store.operation import Call, Operation

SLICES = 10
"""Failures are counted by so many slices of a window."""
MOST_COUNTS = 1000
"""So many counts of one task are kept: causes times slices. Failures of further causes are not counted."""


class Failures(Struct, frozen=True, array_like=True):
    """Runs of one task that have failed for one cause, and when the task trips."""

    task: str
    cause: str
    number: int
    most: int
    """From so many in the window on."""
    within: int
    """Milliseconds."""
    rest: int
    """For how many milliseconds the task cools down then."""
    job: str
    """The id of the newest that failed."""
    reason: str


class Tripped(Struct, frozen=True, array_like=True):
    """A task that cools down by this call."""

    task: str
    cause: str
    left: int
    """Milliseconds."""


def count_failures(failures: Sequence[Failures]) -> Operation[list[Tripped]]:
    """Count failures, and begin a cool-down of each task of which one cause has too many in its window.

    What fails while a task cools down belongs to the same trouble, and is not counted. After the cool-down the count
    begins anew; but within a window of its end, one more failure of the cause that has tripped the task trips it again.
    A repeat after no reply counts them once more.
    """
    params = {"failures": [astuple(each) for each in failures], "slices": SLICES, "kept": MOST_COUNTS}
    answer = yield Call("count_failures", params)
    return records(answer["tripped"], Tripped)
