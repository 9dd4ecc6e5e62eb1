"""What each worker does; which were lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from windlass.app import Windlass
from windlass.insight.figures.figures import figure_lines, figure_query
from windlass.insight.figures.view import FigurePoint
from windlass.web.readings.counts import overview_of
from windlass.web.route import Call, Nothing
from windlass.web.site.drawings.sparklines import draw_activity
from windlass.web.site.overview.overview import Slots
from windlass.web.site.page import Page
from windlass.web.site.recent import Recent

_MOST = 500


async def _hour(app: Windlass) -> Mapping[str, Sequence[FigurePoint]]:
    return await app.client.session.arun(figure_lines(figure_query(range="1h", step="2m", by="worker")))


_HOUR = Recent(_hour, seconds=10)


async def workers(call: Call[Nothing, None]) -> Page:
    """All workers of the last day, the lost ones first."""
    seen = await overview_of(call.app)
    found = sorted(seen.workers, key=lambda worker: (worker.is_alive, worker.name))
    shown = {
        "workers": found[:_MOST],
        "alive_count": sum(1 for worker in found if worker.is_alive),
        "lost_count": sum(1 for worker in found if not worker.is_alive),
        "slots": Slots.of(seen),
        "leader": seen.leader,
        "hour": {name: draw_activity(points) for name, points in (await _HOUR.of(call.app)).items()},
    }
    return Page("workers.html", "Workers", shown, here="/workers")
