"""What each worker does; which were lost."""

from __future__ import annotations

from windlass.web.route import Call, Nothing
from windlass.web.site.page import Page
from windlass.web.site.pages.overview import Slots

_MOST = 500


async def workers(call: Call[Nothing, None]) -> Page:
    """All workers of the last day, the lost ones first."""
    seen = await call.app.aoverview()
    found = sorted(seen.workers, key=lambda worker: (worker.is_alive, worker.name))
    shown = {
        "workers": found[:_MOST],
        "alive_count": sum(1 for worker in found if worker.is_alive),
        "lost_count": sum(1 for worker in found if not worker.is_alive),
        "slots": Slots.of(seen),
        "leader": seen.leader,
    }
    return Page("workers.html", "Workers", shown, here="/workers")
