"""Bugs of leases over HTTP that the rack must find."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from tests.torture.planting import Mutant, set_attribute
from windlass.claimed_job import ClaimedJob
from windlass.client.job_changes import find_record


def _late_endings_accepted() -> None:
    """What a client says under a fence that is stale counts for the run that has the job now."""
    really: Any = ClaimedJob._held  # noqa: SLF001

    def held(self: ClaimedJob, verb: str) -> Generator[Any, Any, Any]:
        self.fence = (yield from find_record(self.id)).fence
        return (yield from really(self, verb))

    set_attribute(ClaimedJob, "_held", held)


OF_LEASES: dict[str, Mutant] = {
    "late ending over HTTP accepted": Mutant(_late_endings_accepted, "sqlite", ("I3", "I18")),
}
