"""What the parts of the model share: the jobs, and the store's clock."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable

from windlass.core.records import JobRecord


class Part(ABC):
    """One duty of the model; ``now`` is the store's clock, in milliseconds."""

    jobs: dict[int, JobRecord]

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
