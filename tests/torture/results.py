"""Which run a stored result is of."""

from __future__ import annotations

import json

from windlass.core.records import JobRecord


def fence_of_result(job: JobRecord) -> int | None:
    """The fence that the run returned whose result is stored."""
    if job.result is None:
        return None
    value = json.loads(job.result)
    while isinstance(value, dict) and "fence" not in value and len(value) == 1:
        value = next(iter(value.values()))
    return int(value["fence"]) if isinstance(value, dict) and "fence" in value else None
