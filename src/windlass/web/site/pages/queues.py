"""How deep, how old, who serves them; one queue."""

from __future__ import annotations

from collections.abc import Sequence

from windlass.core.state import State
from windlass.insight.overview import QueueView
from windlass.web.problems import not_found
from windlass.web.route import Call, Nothing
from windlass.web.site.page import Page

_MOST = 500
_NEXT = 10


async def queues(call: Call[Nothing, None]) -> Page:
    """All queues, those in trouble first."""
    seen = await call.app.aoverview()
    shown = {
        "queues": sorted(seen.queues, key=by_trouble)[:_MOST],
        **queue_counts(seen.queues),
        "everywhere": seen.everywhere,
    }
    return Page("queues.html", "Queues", shown, here="/queues")


def by_trouble(queue: QueueView) -> tuple[bool, int, str]:
    """Those without a worker first, then the deepest."""
    return not queue.is_unserved, -queue.counts[State.PENDING], queue.name


def queue_counts(queues: Sequence[QueueView]) -> dict[str, int]:
    """What the line above or below a list of queues says."""
    return {
        "queue_count": len(queues),
        "paused_count": sum(1 for queue in queues if queue.settings.paused_at is not None),
        "unserved_count": sum(1 for queue in queues if queue.is_unserved),
    }


async def queue(call: Call[Nothing, None]) -> Page:
    """One queue: what it holds, what is next, its settings."""
    name = call.path["name"]
    seen = await call.app.aoverview()
    found = next((queue for queue in seen.queues if queue.name == name), None)
    if found is None:
        raise not_found(f"there is no queue {name}")
    serving = [worker for worker in seen.workers if worker.is_alive and name in worker.info.get("queues", ())]
    shown = {"queue": found, "next": await call.app.queue(name).apeek(_NEXT), "serving": serving}
    return Page("queue.html", name, shown, here="/queues")
