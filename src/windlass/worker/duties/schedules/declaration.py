"""Tells the store which schedules this process's code declares, for as long as it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windlass.schedules.stored import declare_here
from windlass.store.operation import Operation
from windlass.store.operations.schedules.changes import schedules
from windlass.store.operations.schedules.versions import KEEP_EVERY, keep

if TYPE_CHECKING:
    from windlass.client.client import Client

_NOTHING_TO_DECLARE = 3600.0


class DeclaredSchedules:
    """Every process with the code does it; the leader decides which version of the code is in force.

    Code without schedules has to say so too, where the store has some: its version may have removed them.
    """

    name = "schedule-declaration"
    needs_lead = False

    def __init__(self, client: Client) -> None:
        self._client = client
        self._version: str | None = None
        self.did = ""

    def tick(self) -> float:
        session = self._client.session
        if self._version is None or not session.run(keep(self._version)):
            self._version = session.upkeep(self._declare())
        return _NOTHING_TO_DECLARE if self._version is None else KEEP_EVERY / 1000

    def _declare(self) -> Operation[str | None]:
        count = len(self._client.schedules)
        if not count and not (yield from self._has_removed_some()):
            return None
        version = yield from declare_here(self._client)
        self.did = f"declared {count:,}"
        return version

    def _has_removed_some(self) -> Operation[bool]:
        """Whether code without schedules may have had some. A program without tasks, such as an operator's, has not."""
        return len(self._client.registry) > 0 and bool((yield from schedules(limit=1)).schedules)
