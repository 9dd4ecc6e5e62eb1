"""Caps and reserved slots: which queues may have one more of a worker's slots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from windlass.options import QueueShare


class SlotLimits:
    """What the queues of one worker may have of its slots."""

    def __init__(self, shares: Mapping[str, QueueShare]) -> None:
        self.caps = {name: share.cap for name, share in shares.items() if share.cap is not None}
        self.reserves = {name: share.reserve for name, share in shares.items() if share.reserve}

    def __bool__(self) -> bool:
        """Whether any queue has a limit."""
        return bool(self.caps or self.reserves)

    def room(self, *, free: int, used: Mapping[str, int]) -> SlotRoom:
        """What may be dealt when so many slots are free, and each queue has these."""
        return SlotRoom(self, free=free, used=used)


class SlotRoom:
    """The slots that are free in one round, while they are dealt one by one.

    A queue gets its reserved slots first; all that are not reserved by others are shared.
    """

    def __init__(self, limits: SlotLimits, *, free: int, used: Mapping[str, int]) -> None:
        self._caps = limits.caps
        self._used = Counter(used)
        self._unused = {
            name: reserve - self._used[name] for name, reserve in limits.reserves.items() if self._used[name] < reserve
        }
        """Reserved slots that their queue does not use."""
        self._shared = free - sum(self._unused.values())

    def admits(self, name: str) -> bool:
        """Whether this queue may have another slot."""
        cap = self._caps.get(name)
        if cap is not None and self._used[name] >= cap:
            return False
        return self._shared > 0 or name in self._unused

    def take(self, name: str) -> None:
        """Give it one."""
        self._used[name] += 1
        left = self._unused.get(name)
        if left is None:
            self._shared -= 1
        elif left == 1:
            del self._unused[name]
        else:
            self._unused[name] = left - 1
