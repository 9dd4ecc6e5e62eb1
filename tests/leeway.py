"""How long something may take on this machine, which may have little time for us."""

from __future__ import annotations

import os

_BESIDE = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
"""How many tests run at once: the load is a mean over a minute, and small when a run has just begun."""


def leeway(seconds: float) -> float:
    """What may take so many seconds on a machine with nothing else to do may take so many here and now."""
    return seconds * (1 + max(os.getloadavg()[0], _BESIDE) / (os.cpu_count() or 1))
