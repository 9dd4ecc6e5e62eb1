"""The table of routes: everything that can be asked over HTTP."""

from __future__ import annotations

from windlass.web.leases import routes as leases
from windlass.web.route import Route
from windlass.web.topics import (
    access,
    dead,
    enqueue,
    figures,
    flows,
    health,
    jobs,
    limits,
    overview,
    queues,
    schedules,
    session,
    upkeep,
    workers,
)

ROUTES: tuple[Route, ...] = (
    *health.ROUTES,
    *overview.ROUTES,
    *figures.ROUTES,
    *jobs.ROUTES,
    *flows.ROUTES,
    *enqueue.ROUTES,
    *dead.ROUTES,
    *queues.ROUTES,
    *workers.ROUTES,
    *limits.ROUTES,
    *schedules.ROUTES,
    *upkeep.ROUTES,
    *leases.ROUTES,
    *access.ROUTES,
    *session.ROUTES,
)
