"""Named limits: look at, set, empty."""

from __future__ import annotations

from typing import Any

import msgspec

from windlass.core import validate
from windlass.errors import ConfigError, IllegalTransition
from windlass.insight import json_forms
from windlass.insight.limits.limits import LimitView, limit_views
from windlass.web.etags import ANY, changed_meanwhile, check_tag, etag_of, given_tag
from windlass.web.problems import not_found
from windlass.web.route import PREFIX, Answer, Call, Nothing, Route
from windlass.web.security.roles import Role
from windlass.web.shapes import limits as shapes

_TOPIC = "Limits"
_LIMIT = f"{PREFIX}/limits/{{name}}"
NO_LIMIT = etag_of([])
"""The tag of a limit that is not there yet."""


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
    await change_limit(call, call.path["name"], said, seen=given_tag(call.request))
    return _shown(await _existing(call))


async def change_limit(call: Call[Any, Any], name: str, said: dict[str, Any], *, seen: str) -> None:
    """Set what is said of a limit, unless its settings have another tag than ``seen``."""
    limit, before = call.app.limit(name), await _find(call, name)
    check_tag(seen, _identified(before))
    since: dict[str, Any] = {} if seen == ANY else {"unchanged_since": None if before is None else before.changed_at}
    try:
        await limit.aconfigure(by=call.by, **since, **said)
    except IllegalTransition:
        raise changed_meanwhile() from None
    except ConfigError:
        if before is None and seen != ANY and await _find(call, name) is not None:
            raise changed_meanwhile() from None  # another has added it
        raise


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


async def _find(call: Call[Any, Any], name: str) -> LimitView | None:
    """Looks only: a limit that the code declares and the store does not have is not set up by that."""
    found = await call.app.client.session.arun(limit_views(validate.limit_name(name)))
    return found[0] if found else None


async def _existing(call: Call[Any, Any]) -> LimitView:
    found = await _find(call, call.path["name"])
    if found is None:
        raise not_found(f"no limit is called {call.path['name']!r}")
    return found


def _shown(view: LimitView) -> Answer:
    return Answer(json_forms.limit(view), headers={"ETag": limit_tag(view)})


def limit_tag(view: LimitView | None) -> str:
    """The tag of the settings of a limit; that of one that is not there yet is ``NO_LIMIT``."""
    return etag_of(_identified(view))


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
