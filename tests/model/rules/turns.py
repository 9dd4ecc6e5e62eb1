"""One queue is asked at a time: which of several queues gets a key that they share is left to the store."""

from __future__ import annotations

from itertools import count
from typing import Any

from tests.model.rules.actors import Cast
from tests.model.samples import QUEUES


class Turns(Cast):
    """Whoever takes jobs asks the queues in turn."""

    def __init__(self) -> None:
        super().__init__()
        self._turns = count()

    def ask_next(self, queue: str) -> None:
        """The next call asks for jobs of this queue."""
        self._turns = count(QUEUES.index(queue))

    def asking(self, room: int, *, takes_suspect: bool = True) -> dict[str, Any]:
        queue = QUEUES[next(self._turns) % 2]
        takes_suspect = takes_suspect and self.is_order_clear(queue)
        return {"requests": [(queue, room)] if room else [], "takes_suspect": takes_suspect}

    def is_order_clear(self, queue: str) -> bool:
        """Whether a suspect comes in the same order, however many suspects and others a store blocks in one call."""
        pending = self.model.pending(queue)
        keyed = [job for job in pending if job.concurrency_key or job.rate_key]
        suspects = [job for job in keyed if job.crashes + job.rescues]
        return not keyed or (len({job.priority for job in pending}) == 1 and len(suspects) <= 1)

    def by_hand(self) -> dict[str, Any]:
        return {**super().by_hand(), "queues": [QUEUES[next(self._turns) % 2]]}
