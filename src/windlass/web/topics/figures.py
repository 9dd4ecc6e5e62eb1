"""Figures over time, and the metrics of Prometheus."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from msgspec.structs import asdict
from starlette.responses import PlainTextResponse

from windlass.app import Windlass
from windlass.insight.figures.json_form import figures_form, raw_form
from windlass.integrations.prometheus import CONTENT_TYPE, StoreMetrics
from windlass.store.operations.figures.read import raw_rows
from windlass.web.route import PREFIX, Call, Nothing, Route
from windlass.web.security.roles import Role
from windlass.web.shapes import figures as shapes

_STORES: WeakKeyDictionary[Windlass, StoreMetrics] = WeakKeyDictionary()
"""Scrapes of one app share what was read."""


async def metrics(call: Call[Nothing, None]) -> PlainTextResponse:
    """The store in the text format of Prometheus."""
    app = call.app
    known = _STORES.setdefault(app, StoreMetrics(app))
    text = await app.client.session.acall(known.render)
    return PlainTextResponse(text, headers={"Content-Type": CONTENT_TYPE, "Cache-Control": "no-store"})


async def figures(call: Call[shapes.FiguresQuery, None]) -> dict[str, object]:
    """Counts, times and depths over time."""
    asked = asdict(call.query)
    aggregate = asked.pop("aggregate")
    return figures_form(await call.app.afigures(**asked), aggregate=aggregate)


async def raw(call: Call[Nothing, None]) -> dict[str, object]:
    """What is not merged yet."""
    return raw_form(await call.app.client.session.arun(raw_rows()))


ROUTES = (
    Route(
        method="GET",
        path="/metrics",
        handler=metrics,
        summary="The store in the text format of Prometheus.",
        topic="Figures",
        role=Role.VIEWER,
        answer=PlainTextResponse,
    ),
    Route(
        method="GET",
        path=f"{PREFIX}/metrics",
        handler=figures,
        summary="Counts, times and depths over time: of all jobs, a queue, a task, a worker, a schedule.",
        topic="Figures",
        role=Role.VIEWER,
        query=shapes.FiguresQuery,
        answer=shapes.Figures,
    ),
    Route(
        method="GET",
        path=f"{PREFIX}/metrics/raw",
        handler=raw,
        summary="What workers have gathered and no leader has merged yet, the oldest first.",
        topic="Figures",
        role=Role.ADMIN,
        answer=shapes.RawFigures,
    ),
)
