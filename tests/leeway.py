"""How long something may take on this machine, which may have little time for us."""

from __future__ import annotations

import os


def leeway(seconds: float) -> float:
    """What may take so many seconds on a machine with nothing else to do may take so many here and now."""
    return seconds * (1 + os.getloadavg()[0] / (os.cpu_count() or 1))
