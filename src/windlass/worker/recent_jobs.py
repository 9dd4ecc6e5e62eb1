"""The last jobs of a worker."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from windlass.core.ending import Ending
from windlass.core.records import Claimed

_KEPT = 20


class RecentJobs:
    """Filled once per cycle with all endings, so it costs a job next to nothing."""

    def __init__(self) -> None:
        self._jobs: deque[dict[str, object]] = deque(maxlen=_KEPT)

    def add(self, ended: Sequence[tuple[Ending, Claimed]]) -> None:
        """Add endings, the newest last. Payloads and results are not kept."""
        self._jobs.extend(
            {"id": job.id, "task": job.task, "state": str(ending.state), "ran_for": ending.ran_for}
            for ending, job in ended[-_KEPT:]
        )

    def newest(self) -> list[dict[str, object]]:
        """The newest first; ``ran_for`` in milliseconds, None for a job that was released without a run."""
        return list(self._jobs)[::-1]
