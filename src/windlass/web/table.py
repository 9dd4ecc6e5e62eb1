"""The table of routes: everything that can be asked over HTTP."""

from __future__ import annotations

from windlass.web.alerts import routes as alerts
from windlass.web.archive import routes as archive
from windlass.web.bulk import routes as bulk
from windlass.web.diagnostics import routes as diagnostics
from windlass.web.leases import routes as leases
from windlass.web.route import Route
from windlass.web.streams import routes as streams
from windlass.web.tasks import routes as tasks
from windlass.web.topics import access, figures, health, limits, overview, queues, schedules, session, upkeep, workers
from windlass.web.topics.jobs import dead, enqueue, flows, jobs

ROUTES: tuple[Route, ...] = (
    *health.ROUTES,
    *overview.ROUTES,
    *tasks.ROUTES,
    *figures.ROUTES,
    *streams.ROUTES,
    *jobs.ROUTES,
    *diagnostics.ROUTES,
    *flows.ROUTES,
    *enqueue.ROUTES,
    *dead.ROUTES,
    *bulk.ROUTES,
    *archive.ROUTES,
    *queues.ROUTES,
    *workers.ROUTES,
    *limits.ROUTES,
    *schedules.ROUTES,
    *alerts.ROUTES,
    *upkeep.ROUTES,
    *leases.ROUTES,
    *access.ROUTES,
    *session.ROUTES,
)
