"""The protocol of a duty: a name, whether it needs the lead, ``tick() -> seconds``."""

from __future__ import annotations

from typing import Protocol


class Duty(Protocol):
    """One kind of upkeep. Idempotent: any number of processes may do it at once, also those that need the lead.

    A duty has a thread of its own, so a slow one holds no other up. A round ends within seconds however much there is
    to do; it returns 0 then, and the next one goes on.
    """

    @property
    def name(self) -> str:
        """Of its thread, and in the log."""

    @property
    def needs_lead(self) -> bool:
        """Whether one process does it for all: the leader."""

    @property
    def did(self) -> str:
        """What the newest round did that found something to do, in a few words; empty before that."""

    def tick(self) -> float:
        """One round; the seconds until the next. May raise ``StoreUnavailable``."""
