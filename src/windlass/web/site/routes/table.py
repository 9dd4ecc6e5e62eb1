"""The rows of the table of routes that are pages, their streams and their buttons."""

from __future__ import annotations

from windlass.web.route import Route
from windlass.web.site.routes.alerts import ALERTS
from windlass.web.site.routes.jobs import JOBS
from windlass.web.site.routes.limits import LIMITS
from windlass.web.site.routes.queues import QUEUES
from windlass.web.site.routes.schedules import SCHEDULES
from windlass.web.site.routes.system import SYSTEM
from windlass.web.site.routes.workers import WORKERS

PAGES: tuple[Route, ...] = (*SYSTEM, *JOBS, *QUEUES, *WORKERS, *LIMITS, *SCHEDULES, *ALERTS)
