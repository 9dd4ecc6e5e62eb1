"""Queues from which nothing is taken, and why, in a few words: for the rows of jobs that wait in them."""

from __future__ import annotations

from windlass.app import Windlass
from windlass.insight.workers import worker_views
from windlass.store.operation import Operation
from windlass.store.operations import queues
from windlass.store.operations.queues import ALL
from windlass.web.site.recent import Recent


async def held_queues(app: Windlass) -> dict[str, str]:
    """By name; those that workers take jobs from are not in it."""
    return await _RECENT.of(app)


async def _read(app: Windlass) -> dict[str, str]:
    return await app.client.session.arun(_held())


_RECENT = Recent(_read, seconds=2)


def _held() -> Operation[dict[str, str]]:
    settings = yield from queues.settings()
    served = {name for worker in (yield from worker_views()) if worker.is_alive for name in worker.queues}
    everywhere = settings.pop(ALL, None)
    if everywhere is not None and everywhere.paused_at is not None:
        return dict.fromkeys(settings, "all queues are paused")
    paused = {name: "its queue is paused" for name, found in settings.items() if found.paused_at is not None}
    unserved = {name: f"no worker serves {name}" for name in settings if name not in served}
    return unserved | paused
