"""Duties, once; and events."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from windlass.app import Windlass
from windlass.insight import json_forms
from windlass.insight.figures.json_form import roll_up_form
from windlass.web.problems import not_found
from windlass.web.route import PREFIX, Answer, Call, Nothing, Route
from windlass.web.security.roles import Role
from windlass.web.shapes import system as shapes

_SECONDS = 60.0
"""How long a duty may take: a store that was not cleaned for long has much to clean."""


async def _rescue(app: Windlass) -> Answer:
    rescued = await app.arescue()
    return Answer(json_forms.rescued(rescued), count=len(rescued))


async def _promote(app: Windlass) -> Answer:
    promoted = await app.apromote()
    return Answer(json_forms.promoted(promoted), count=promoted)


async def _clean(app: Windlass) -> Answer:
    cleaned = await app.aclean()
    form = json_forms.cleaned(cleaned.deleted, cleaned.archived, cleaned.seconds)
    return Answer(form, count=cleaned.deleted + cleaned.archived)


async def _roll_up(app: Windlass) -> Answer:
    done = await app.aroll_up()
    return Answer(roll_up_form(done), count=done.rows)


async def _fire(app: Windlass) -> Answer:
    fires = await app.afire_due()
    return Answer(json_forms.fired(fires), count=len(fires))


DUTIES: dict[str, Callable[[Windlass], Awaitable[Answer]]] = {
    "rescue": _rescue,
    "promote": _promote,
    "clean": _clean,
    "roll-up": _roll_up,
    "fire": _fire,
}


async def do_duty(call: Call[Nothing, None]) -> Answer:
    """Do a duty once."""
    name = call.path["name"]
    if name not in DUTIES:
        raise not_found(f"no duty is called {name!r}; there are {', '.join(DUTIES)}")
    return await DUTIES[name](call.app)


async def send(call: Call[Nothing, shapes.EventOrder]) -> dict[str, object]:
    """Give an event to the jobs that wait for it."""
    await call.app.asend(call.path["name"], call.body.value)
    return {"event": call.path["name"]}


ROUTES = (
    Route(
        method="POST",
        path=f"{PREFIX}/duties/{{name}}",
        handler=do_duty,
        summary="Do a duty once: rescue, promote, clean, roll-up or fire.",
        topic="System",
        role=Role.OPERATOR,
        answer=shapes.DutyDone,
        action="duty",
        problems=(404,),
        seconds=_SECONDS,
    ),
    Route(
        method="POST",
        path=f"{PREFIX}/events/{{name}}",
        handler=send,
        summary="Send an event to all jobs that wait for it, and for 7 days to those that will.",
        topic="Jobs",
        role=Role.OPERATOR,
        body=shapes.EventOrder,
        is_body_needed=False,
        answer=shapes.SentEvent,
        action="event.send",
        most_bytes=2 * 1024 * 1024,
    ),
)
