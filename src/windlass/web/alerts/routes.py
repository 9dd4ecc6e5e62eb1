"""The handlers, and their rows of the table of routes."""

from __future__ import annotations

from typing import Any

import msgspec

from windlass.admin.channel_tests import LONGEST
from windlass.core.units import read_past
from windlass.errors import ConfigError, IllegalTransition
from windlass.insight.alerts.json_form import alert_form, alerts_form, delivery_form, rule_form
from windlass.insight.alerts.views import AlertRuleView, AlertView
from windlass.web.alerts import shapes
from windlass.web.cursors import list_name
from windlass.web.etags import ANY, changed_meanwhile, check_tag, etag_of, given_tag
from windlass.web.problems import not_found
from windlass.web.route import PREFIX, Answer, Call, Nothing, Route
from windlass.web.security.roles import Role

_TOPIC = "Alerts"
_ALERTS = f"{PREFIX}/alerts"
_RULES = f"{PREFIX}/alert-rules"
_RULE = f"{_RULES}/{{name}}"


async def list_alerts(call: Call[shapes.AlertQuery, None]) -> dict[str, object]:
    """A page of alerts."""
    given = _said(call.query, without=("limit", "cursor"))
    name = list_name(_ALERTS, given)
    cursor = None if call.query.cursor is msgspec.UNSET else call.cursors.read(name, call.query.cursor, str)
    if "state" in given:
        given["state"] = [one.strip() for one in given["state"].split(",")]
    if "since" in given:
        given["since"] = read_past(given["since"], "since", now=call.now)
    page = await call.app.alerts.alist(limit=call.query.limit, cursor=cursor, **given)
    return {**alerts_form(page), "next": None if page.next is None else call.cursors.write(name, page.next)}


async def show_alert(call: Call[Nothing, None]) -> dict[str, object]:
    """One alert."""
    return alert_form(await _alert(call))


async def acknowledge(call: Call[Nothing, None]) -> dict[str, object]:
    """Say that a person looks after it."""
    return alert_form(await call.app.alerts.aacknowledge((await _alert(call)).id, by=call.by))


async def resolve(call: Call[Nothing, None]) -> dict[str, object]:
    """Resolve it by hand."""
    return alert_form(await call.app.alerts.aresolve((await _alert(call)).id, by=call.by))


async def list_deliveries(call: Call[shapes.DeliveryQuery, None]) -> dict[str, object]:
    """What was delivered, what waits, and what was given up."""
    found = await call.app.alerts.adeliveries(failed=call.query.failed, limit=call.query.limit)
    return {"deliveries": [delivery_form(one) for one in found]}


async def try_channels(call: Call[Nothing, shapes.ChannelTestOrder | None]) -> Answer:
    """Send a test message by one channel, or by all."""
    channel = None if call.body is None or call.body.channel is msgspec.UNSET else call.body.channel
    if channel is not None and channel not in {one.name for one in call.app.alerts.channels()}:
        raise not_found(f"there is no channel {channel!r}")
    tests = await call.app.alerts.atest(channel)
    value = {"tests": [{"channel": test.channel, "error": test.error} for test in tests]}
    return Answer(value, count=len(tests), target=" ".join(test.channel for test in tests))


async def list_rules(call: Call[Nothing, None]) -> dict[str, object]:
    """All rules."""
    return {"rules": [rule_form(rule) for rule in await call.app.alerts.arules()]}


async def show_rule(call: Call[Nothing, None]) -> Answer:
    """One rule, with the tag that a change of it needs."""
    return _shown(await _rule(call))


async def add_rule(call: Call[Nothing, shapes.NewRule]) -> Answer:
    """Add a rule."""
    given = _said(call.body, without=("name", "expression"))
    rule = await call.app.alerts.aadd_rule(call.body.name, call.body.expression, **given)
    return _shown(rule, target=rule.name)


async def edit_rule(call: Call[Nothing, shapes.RuleSettings]) -> Answer:
    """Change a rule, unless others have changed it since it was read."""
    before = await _rule(call)
    tag = given_tag(call.request)
    check_tag(tag, _identified(before))
    seen: dict[str, Any] = {} if tag == ANY else {"revision": before.revision}
    try:
        return _shown(await call.app.alerts.aedit_rule(before.name, **seen, **_said(call.body)))
    except IllegalTransition:
        raise changed_meanwhile() from None


async def silence_rule(call: Call[Nothing, shapes.Silence]) -> Answer:
    """Deliver nothing of a rule for a time."""
    name, order = (await _rule(call)).name, call.body
    return _shown(await call.app.alerts.asilence_rule(name, order.duration, reason=order.reason, by=call.by))


async def unsilence_rule(call: Call[Nothing, None]) -> Answer:
    """End the silence of a rule."""
    return _shown(await call.app.alerts.aunsilence_rule((await _rule(call)).name))


async def delete_rule(call: Call[Nothing, None]) -> None:
    """Delete a rule."""
    await call.app.alerts.adelete_rule((await _rule(call)).name)


async def _alert(call: Call[Any, Any]) -> AlertView:
    try:
        return await call.app.alerts.aget(call.path["id"])
    except ConfigError:
        raise not_found(f"no alert has the id {call.path['id']!r}") from None


async def _rule(call: Call[Any, Any]) -> AlertRuleView:
    try:
        return await call.app.alerts.arule(call.path["name"])
    except ConfigError:
        raise not_found(f"no alert rule is called {call.path['name']!r}") from None


def _said(given: msgspec.Struct, *, without: tuple[str, ...] = ()) -> dict[str, Any]:
    values = {name: getattr(given, name) for name in given.__struct_fields__ if name not in without}
    return {name: value for name, value in values.items() if value is not msgspec.UNSET}


def _shown(rule: AlertRuleView, *, target: str | None = None) -> Answer:
    return Answer(rule_form(rule), headers={"ETag": etag_of(_identified(rule))}, target=target)


def _identified(rule: AlertRuleView) -> list[object]:
    return [rule.name, rule.revision]


def _row(method: str, path: str, handler: Any, summary: str, answer: Any, **more: Any) -> Route:
    row: dict[str, Any] = {"topic": _TOPIC, "role": Role.VIEWER}
    return Route(method=method, path=path, handler=handler, summary=summary, answer=answer, **{**row, **more})


_OPERATOR: dict[str, Any] = {"role": Role.OPERATOR, "problems": (404, 409)}
_ADMIN: dict[str, Any] = {"role": Role.ADMIN}

ROUTES = (
    _row("GET", _ALERTS, list_alerts, "Alerts, the newest first.", shapes.Alerts, query=shapes.AlertQuery),
    _row(
        "GET",
        f"{_ALERTS}/deliveries",
        list_deliveries,
        "What was delivered of alerts, what waits, and what was given up.",
        shapes.Deliveries,
        query=shapes.DeliveryQuery,
    ),
    _row(
        "POST",
        f"{_ALERTS}/test",
        try_channels,
        "Send a test message by a channel, or by all; within 20 seconds.",
        shapes.ChannelTests,
        body=shapes.ChannelTestOrder,
        is_body_needed=False,
        action="alert.test",
        problems=(404,),
        seconds=LONGEST + 10.0,
        **_ADMIN,
    ),
    _row("GET", f"{_ALERTS}/{{id}}", show_alert, "One alert.", shapes.Alert, problems=(404,)),
    _row(
        "POST",
        f"{_ALERTS}/{{id}}/acknowledge",
        acknowledge,
        "Acknowledge an alert: a person looks after it.",
        shapes.Alert,
        action="alert.acknowledge",
        **_OPERATOR,
    ),
    _row(
        "POST",
        f"{_ALERTS}/{{id}}/resolve",
        resolve,
        "Resolve an alert by hand; its rule fires again after its cool-down, if it still holds.",
        shapes.Alert,
        action="alert.resolve",
        **_OPERATOR,
    ),
    _row("GET", _RULES, list_rules, "All rules of alerts.", shapes.AlertRules),
    _row(
        "POST",
        _RULES,
        add_rule,
        "Add a rule.",
        shapes.AlertRule,
        body=shapes.NewRule,
        status=201,
        action="alert-rule.add",
        **_ADMIN,
    ),
    _row(
        "GET",
        _RULE,
        show_rule,
        "One rule; its ETag is what a change of it needs.",
        shapes.AlertRule,
        problems=(404,),
    ),
    _row(
        "PATCH",
        _RULE,
        edit_rule,
        "Change a rule; code does not change it from then on.",
        shapes.AlertRule,
        body=shapes.RuleSettings,
        action="alert-rule.edit",
        problems=(404, 412, 428),
        **_ADMIN,
    ),
    _row(
        "POST",
        f"{_RULE}/silence",
        silence_rule,
        "Deliver nothing of a rule for a time; it fires, and its alerts are recorded, as before.",
        shapes.AlertRule,
        body=shapes.Silence,
        action="alert-rule.silence",
        role=Role.OPERATOR,
        problems=(404,),
    ),
    _row(
        "POST",
        f"{_RULE}/unsilence",
        unsilence_rule,
        "End the silence of a rule; alerts that still fire are delivered.",
        shapes.AlertRule,
        action="alert-rule.unsilence",
        role=Role.OPERATOR,
        problems=(404,),
    ),
    _row(
        "DELETE",
        _RULE,
        delete_rule,
        "Delete a rule; one that code declares does not come back by that.",
        None,
        status=204,
        action="alert-rule.delete",
        problems=(404,),
        **_ADMIN,
    ),
)
