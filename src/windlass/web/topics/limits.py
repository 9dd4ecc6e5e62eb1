"""Named limits: look at, set, empty."""

from __future__ import annotations

from typing import Any

import msgspec

from windlass.core import validate
from windlass.errors import ConfigError, IllegalTransition
from windlass.insight import json_forms
from windlass.insight.limits import LimitView, limit_views
from windlass.web.etags import changed_meanwhile, check_match, etag_of, wants_any
from windlass.web.problems import not_found
from windlass.web.route import PREFIX, Answer, Call, Nothing, Route
from windlass.web.security.roles import Role
from windlass.web.shapes import limits as shapes

_TOPIC = "Limits"
_LIMIT = f"{PREFIX}/limits/{{name}}"


async def list_limits(call: Call[Nothing, None]) -> dict[str, object]:
    """All limits."""
    return json_forms.limits(await call.app.alimits())


async def show_limit(call: Call[Nothing, None]) -> Answer:
    """One limit, with the tag of its settings."""
    return _shown(await _existing(call))


async def set_limit(call: Call[Nothing, shapes.LimitOrder]) -> Answer:
    """Set a limit, unless others have changed it since it was read."""
    given: dict[str, Any] = {"rate": call.body.rate, "burst": call.body.burst}
    said = {name: value for name, value in given.items() if value is not msgspec.UNSET}
    limit, before = call.app.limit(call.path["name"]), await _find(call)
    check_match(call.request, _identified(before))
    seen: dict[str, Any] = (
        {} if wants_any(call.request) else {"unchanged_since": None if before is None else before.changed_at}
    )
    try:
        await limit.aconfigure(by=call.by, **seen, **said)
    except IllegalTransition:
        raise changed_meanwhile() from None
    except ConfigError:
        if before is None and wants_any(call.request) is False and await _find(call) is not None:
            raise changed_meanwhile() from None  # another has added it
        raise
    return _shown(await _existing(call))


async def drain(call: Call[Nothing, None]) -> Answer:
    """Empty it."""
    await _existing(call)
    await call.app.limit(call.path["name"]).adrain()
    return _shown(await _existing(call))


async def resume(call: Call[Nothing, None]) -> Answer:
    """End its cool-down."""
    await _existing(call)
    await call.app.limit(call.path["name"]).aresume()
    return _shown(await _existing(call))


async def delete(call: Call[Nothing, None]) -> None:
    """Remove it."""
    await _existing(call)
    await call.app.limit(call.path["name"]).adelete()


async def _find(call: Call[Any, Any]) -> LimitView | None:
    """Looks only: a limit that the code declares and the store does not have is not set up by that."""
    found = await call.app.client.session.arun(limit_views(validate.limit_name(call.path["name"])))
    return found[0] if found else None


async def _existing(call: Call[Any, Any]) -> LimitView:
    found = await _find(call)
    if found is None:
        raise not_found(f"no limit is called {call.path['name']!r}")
    return found


def _shown(view: LimitView) -> Answer:
    return Answer(json_forms.limit(view), headers={"ETag": etag_of(_identified(view))})


def _identified(view: LimitView | None) -> list[object]:
    """What the tag is made of; tokens come and go."""
    return [] if view is None else [view.rate, view.burst, view.changed_at, view.changed_by]


def _order(method: str, path: str, handler: Any, summary: str, action: str, **more: Any) -> Route:
    row: dict[str, Any] = {"topic": _TOPIC, "role": Role.OPERATOR, "answer": shapes.Limit, "problems": (404,)}
    return Route(method=method, path=path, handler=handler, summary=summary, action=action, **{**row, **more})


ROUTES = (
    Route(
        method="GET",
        path=f"{PREFIX}/limits",
        handler=list_limits,
        summary="All named limits with their tokens and who waits.",
        topic=_TOPIC,
        role=Role.VIEWER,
        answer=shapes.Limits,
    ),
    Route(
        method="GET",
        path=_LIMIT,
        handler=show_limit,
        summary="One limit; its ETag is what a change of it needs.",
        topic=_TOPIC,
        role=Role.VIEWER,
        answer=shapes.Limit,
        problems=(404,),
    ),
    _order(
        "PUT",
        _LIMIT,
        set_limit,
        "Set a limit's rate, burst or both, for all processes; it need not exist yet.",
        "limit.set",
        body=shapes.LimitOrder,
        problems=(412, 428),
    ),
    _order("POST", f"{_LIMIT}/drain", drain, "Empty a limit's bucket: the service said too many.", "limit.drain"),
    _order("POST", f"{_LIMIT}/resume", resume, "End a limit's cool-down.", "limit.resume"),
    _order(
        "DELETE",
        _LIMIT,
        delete,
        "Delete a limit; one that code declares is set up again when it is used next.",
        "limit.delete",
        answer=None,
        status=204,
        role=Role.ADMIN,
    ),
)
