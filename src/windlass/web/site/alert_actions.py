"""The buttons of the pages about alerts."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from windlass.errors import ConfigError
from windlass.web.problems import Problem, not_found
from windlass.web.route import Call, Nothing
from windlass.web.site.done import Done, WayBack, place_of


async def acknowledge(call: Call[Nothing, None]) -> str:
    await call.app.alerts.aacknowledge(await _id(call), by=call.by)
    return "/alerts"


async def resolve(call: Call[Nothing, None]) -> str:
    await call.app.alerts.aresolve(await _id(call), by=call.by)
    return "/alerts"


async def try_channel(call: Call[Nothing, None]) -> str:
    """Send a test message; what went wrong is told as a problem."""
    [test] = await call.app.alerts.atest(call.path["name"])
    if test.error is not None:
        raise Problem(502, "Not delivered", f"the test was not delivered by {test.channel}: {test.error}")
    return f"/alerts?tested={quote(test.channel, safe='')}"


async def enable_rule(call: Call[Nothing, None]) -> Done:
    name = call.path["name"]
    await call.app.alerts.aedit_rule(name, enabled=True)
    back = WayBack("Switch it off", place_of("alerts/rules", name, "disable"))
    return Done("/alerts/rules", f"Rule {name} is on.", back)


async def disable_rule(call: Call[Nothing, None]) -> Done:
    name = call.path["name"]
    await call.app.alerts.aedit_rule(name, enabled=False)
    back = WayBack("Switch it on", place_of("alerts/rules", name, "enable"))
    return Done("/alerts/rules", f"Rule {name} is off.", back)


async def delete_rule(call: Call[Nothing, None]) -> str:
    await call.app.alerts.adelete_rule(call.path["name"])
    return "/alerts/rules"


async def _id(call: Call[Any, Any]) -> str:
    try:
        return (await call.app.alerts.aget(call.path["id"])).id
    except ConfigError:
        raise not_found(f"no alert has the id {call.path['id']!r}") from None
