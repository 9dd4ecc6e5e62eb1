"""ULIDs: ids that sort by creation time."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from threading import Lock

from windlass.threads.reentry import Reentry

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_PAIRS = [high + low for high in _ALPHABET for low in _ALPHABET]
_RANDOM_BITS = 80
_ULID = re.compile(f"[0-7][{_ALPHABET}]{{25}}")


class UlidSource:
    """Makes ULIDs that grow strictly within the process, also when the clock stands still or steps back."""

    def __init__(self, *, now: Callable[[], int], random_bits: Callable[[int], int]) -> None:
        self._now = now
        self._random_bits = random_bits
        self._lock = Lock()
        self._reentry = Reentry("Windlass")
        self._last = 0

    def reset_after_fork(self) -> None:
        """Forget the last id: after a fork parent and child must not count on from the same one."""
        self._lock = Lock()
        self._last = 0

    def next(self) -> str:
        """A new id of 26 characters."""
        return self.take(1)[0]

    def take(self, count: int) -> list[str]:
        """So many new ids."""
        with self._reentry, self._lock:
            fresh = self._now() << _RANDOM_BITS
            if fresh > self._last:
                # One bit is left free above the random part, so that counting up does not reach the time.
                first = fresh | self._random_bits(_RANDOM_BITS - 1)
            else:
                first = self._last + 1
            self._last = first + count - 1
        # Ids of one millisecond differ in their last characters only; the others are written once.
        return [
            _leading(value >> 20) + _PAIRS[(value >> 10) & 1023] + _PAIRS[value & 1023]
            for value in range(first, first + count)
        ]


@lru_cache(maxsize=8)
def _leading(value: int) -> str:
    # Ten bits at a time: half the look-ups.
    return "".join([_PAIRS[(value >> shift) & 1023] for shift in range(100, -1, -10)])


def made_at(id: str) -> int | None:
    """When a ULID was made, in milliseconds since 1970; None for other ids.

    >>> made_at("01ARZ3NDEKTSV4RRFFQ69G5FAV"), made_at("order-7")
    (1469922850259, None)
    """
    if not _ULID.fullmatch(id):
        return None
    time = 0
    for character in id[:10]:
        time = time * 32 + _ALPHABET.index(character)
    return time
