"""Why jobs were cancelled: those upstream that did not complete by themselves.

A job that was cancelled with the reason ``dependency`` is no cause: a retry of it would run it without what it waits
for. The climb asks about one job at a time, and only about jobs that were cancelled so.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from windlass.core.records import JobRecord
from windlass.core.state import State
from windlass.store.operation import Operation
from windlass.store.operations import queries
from windlass.store.operations.flows.edges import parents

DEPENDENCY = "dependency"
_UNSUCCESSFUL = (State.FAILED, State.CANCELLED)


def causes(cancelled: Sequence[int], *, most: int | None = None) -> Operation[list[JobRecord]]:
    """The jobs upstream of these, by their numbers, which failed or were cancelled for a reason of their own.

    The nearest first; with ``most`` it stops when so many are found. Those that are gone are left out.
    """
    found: list[JobRecord] = []
    seen = set(cancelled)
    left = deque(cancelled)
    while left and (most is None or len(found) < most):
        after, seq = -1, left.popleft()
        while page := (yield from parents(seq, after=after)):
            after = page[-1].place
            ended = [each for each in page if each.state in _UNSUCCESSFUL and each.seq not in seen]
            seen.update(each.seq for each in ended)
            if not ended:
                continue
            for record in (yield from queries.find([each.id for each in ended if each.id])).values():
                if record.state is State.CANCELLED and record.reason == DEPENDENCY:
                    left.append(record.seq)
                elif record.state in _UNSUCCESSFUL:
                    found.append(record)
    return found if most is None else found[:most]
