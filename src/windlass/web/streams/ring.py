"""The newest events, by number: a client that was away, or is slow, goes on where it was."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from windlass import clock
from windlass.web.streams.event import Change, Interest, sse

KEPT = 5_000
_BUILT = 16
"""How many texts are kept for clients that are at the same position."""


@dataclass(frozen=True, slots=True)
class Kept:
    """An event with its number."""

    number: int
    change: Change
    text: bytes
    """As it is sent."""


@dataclass(frozen=True, slots=True)
class Since:
    """What came behind a position."""

    text: bytes
    """All events that the client wants, as they are sent."""
    lost: int
    """How many events before these are not kept any more."""


class Ring:
    """Keeps the newest events of one process. Each client has a position, and nothing else: a slow one costs no memory,
    and loses the oldest.
    """

    def __init__(self, most: int = KEPT) -> None:
        self._events: deque[Kept] = deque(maxlen=most)
        self._start = f"{clock.random_bits(48):012x}"
        self._built: dict[tuple[int, Interest], Since] = {}
        """What was found behind a position since the newest event: most clients are at the same, and want the same."""
        self.last = 0
        """The number of the newest event."""

    def add(self, event: str, change: Change) -> None:
        """Keep an event under the next number."""
        self.last += 1
        self._built.clear()
        self._events.append(Kept(self.last, change, sse(event, change.data, id=self.id_of(self.last))))

    def add_all(self, events: Iterable[tuple[str, Change]]) -> None:
        """Keep several."""
        for event, change in events:
            self.add(event, change)

    def id_of(self, number: int) -> str:
        """What a client sends back as ``Last-Event-ID``: good for this process only."""
        return f"{self._start}-{number}"

    def position(self, id: str) -> int | None:
        """The number of an id; None for one that this process has not given out."""
        start, _, number = id.partition("-")
        if start != self._start or not (number.isascii() and number.isdigit()) or len(number) > 18:
            return None
        return int(number) if int(number) <= self.last else None

    def since(self, position: int, interest: Interest) -> Since:
        """What is kept behind a position and wanted; put together once for all clients that are there."""
        found = self._built.get((position, interest))
        if found is None:
            if len(self._built) == _BUILT:
                self._built.clear()
            found = self._built[position, interest] = self._since(position, interest)
        return found

    def _since(self, position: int, interest: Interest) -> Since:
        oldest = self.last - len(self._events)
        events = islice(self._events, max(0, position - oldest), None)
        return Since(b"".join(kept.text for kept in events if interest.wants(kept.change)), max(0, oldest - position))
