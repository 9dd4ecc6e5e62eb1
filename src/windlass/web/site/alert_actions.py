"""The buttons of the pages about alerts."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from windlass.errors import ConfigError
from windlass.web.problems import Problem, not_found
from windlass.web.route import Call, Nothing


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


async def enable_rule(call: Call[Nothing, None]) -> str:
    await call.app.alerts.aedit_rule(call.path["name"], enabled=True)
    return "/alerts/rules"


async def disable_rule(call: Call[Nothing, None]) -> str:
    await call.app.alerts.aedit_rule(call.path["name"], enabled=False)
    return "/alerts/rules"


async def delete_rule(call: Call[Nothing, None]) -> str:
    await call.app.alerts.adelete_rule(call.path["name"])
    return "/alerts/rules"


async def _id(call: Call[Any, Any]) -> str:
    try:
        return (await call.app.alerts.aget(call.path["id"])).id
    except ConfigError:
        raise not_found(f"no alert has the id {call.path['id']!r}") from None
