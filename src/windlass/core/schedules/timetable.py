"""The slots of one schedule, each with its jitter."""

from __future__ import annotations

from datetime import datetime, timedelta
from hashlib import blake2b
from typing import Protocol

from msgspec import Struct


class Slots(Protocol):
    """Instants without an end, as ``Cron`` and ``Interval`` give them."""

    def next_after(self, instant: datetime) -> datetime | None: ...


class Timetable(Struct, frozen=True):
    """When a schedule is due. A *slot* is a planned instant; it fires up to ``jitter`` later, before the next slot.

    The jitter is drawn from the schedule's name and the instant, so that every leader draws the same.
    """

    slots: Slots
    name: str = ""
    jitter: timedelta = timedelta(0)

    def next_after(self, instant: datetime) -> datetime | None:
        """The first slot after an instant."""
        return self.slots.next_after(instant)

    def due(self, slot: datetime) -> datetime:
        """When a slot is to fire, to the millisecond."""
        if not self.jitter:
            return slot
        following = self.slots.next_after(slot)
        most = self.jitter if following is None else min(self.jitter, following - slot)
        return slot + timedelta(milliseconds=int(most / timedelta(milliseconds=1) * self._share(slot)))

    def _share(self, slot: datetime) -> float:
        """From 0 up to 1."""
        text = f"{self.name}\n{slot.timestamp():.3f}"
        return int.from_bytes(blake2b(text.encode(), digest_size=6).digest()) / 2**48
