"""What duties have done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from windlass.store.operations.rescue import Rescued


def rescued(jobs: Sequence[Rescued]) -> dict[str, object]:
    """What a rescue freed."""
    return {"duty": "rescue", "rescued": [{"id": job.id, "state": str(job.state)} for job in jobs]}


def promoted(count: int) -> dict[str, object]:
    """What a promotion did."""
    return {"duty": "promote", "promoted": count}


def cleaned(deleted: int, archived: int, seconds: float) -> dict[str, object]:
    """What a cleaning did."""
    return {"duty": "clean", "deleted": deleted, "archived": archived, "seconds": round(seconds, 3)}
