"""The task that clients run: part of the app in ``tests.torture.tasks``."""

from __future__ import annotations

from typing import Any

from tests.torture.leases.setting import REMOTE
from tests.torture.tasks import app


@app.task(name=REMOTE, queue=REMOTE)
def remote(seconds: float, ending: str) -> dict[str, Any]:
    """Is run by ``claimer``; no worker serves its queue."""
    raise NotImplementedError
