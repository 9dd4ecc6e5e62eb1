"""Retention of flows: which jobs belong to a flow of which all has ended.

A flow is kept together: a person who looks for the reason of a failure finds all of it. It is whole jobs that are
walked over, in few calls for many jobs: first all that hangs together with them, then all that hangs together with
those that have not ended. What neither finds belongs to flows that are over. Jobs without edges are never asked about.
"""

from __future__ import annotations

from collections.abc import Sequence

from windlass.core.state import FINISHED
from windlass.store.operation import Call, Lane, Operation
from windlass.store.operations.flows.graph import WALKED_AT_ONCE, Walked, walk

_AT_ONCE = 1000


def flows_exist() -> Operation[bool]:
    """Whether any job waits, or waited, for another."""
    answer = yield Call("flows_exist", {}, Lane.READ)
    return bool(answer["exist"])


class EndedFlows:
    """Which of many jobs belong to flows of which all has ended.

    Of a flow with more than 10,000 jobs those count that are nearest to the job in question. ``_size`` is how many jobs
    are asked about at once: fewer where their flows are large.
    """

    def __init__(self, *, at_once: int = WALKED_AT_ONCE) -> None:
        """``at_once`` is how many jobs one walk finds."""
        self._at_once = at_once
        self._size = _AT_ONCE

    def among(self, seqs: Sequence[int]) -> Operation[set[int]]:
        """Those of these jobs, which have ended themselves."""
        ended: set[int] = set()
        left = list(seqs)
        while left:
            batch = left[: self._size]
            walked = yield from walk(batch, limit=self._at_once)
            if len(walked) >= self._at_once and len(batch) > 1:
                self._size //= 2
                continue
            held = yield from self._held(walked, len(batch))
            looked_at = {job.seq for job in walked}
            ended.update(seq for seq in left if seq in looked_at and seq not in held)
            left = [seq for seq in left if seq not in looked_at]
            self._size = min(_AT_ONCE, 2 * self._size)
        return ended

    def _held(self, walked: Sequence[Walked], asked: int) -> Operation[set[int]]:
        """What hangs together with jobs that have not ended."""
        alive = [job.seq for job in walked if job.state is not None and job.state not in FINISHED]
        if not alive:
            return set()
        if asked == 1:
            return {job.seq for job in walked}
        found = yield from walk(alive, limit=self._at_once)
        return {job.seq for job in found}
