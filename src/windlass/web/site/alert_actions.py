"""The buttons of the pages about alerts."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import msgspec

from windlass.core.validate import listed
from windlass.errors import ConfigError
from windlass.web.problems import Problem, not_found
from windlass.web.route import Call, Nothing


class RuleForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a person says of a rule."""

    expression: str = ""
    name: str = ""
    scope: str = "all"
    window: str = "5m"
    severity: str = "warning"
    cool_down: str = "5m"
    channels: str = ""
    """Names with commas between them."""
    description: str = ""
    revision: int = 0
    """Of the rule that the person has seen."""


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


async def add_rule(call: Call[Nothing, RuleForm]) -> str:
    rule = await call.app.alerts.aadd_rule(call.body.name, call.body.expression, **_said(call.body))
    return _rule(rule.name)


async def edit_rule(call: Call[Nothing, RuleForm]) -> str:
    name = call.path["name"]
    form = call.body
    await call.app.alerts.aedit_rule(name, revision=form.revision, expression=form.expression, **_said(form))
    return _rule(name)


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


def _said(form: RuleForm) -> Any:
    return {
        "scope": form.scope,
        "window": form.window,
        "severity": form.severity,
        "cool_down": form.cool_down,
        "channels": listed(form.channels),
        "description": form.description,
    }


def _rule(name: str) -> str:
    return f"/alerts/rules/{quote(name, safe='')}"
