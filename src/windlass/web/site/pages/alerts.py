"""What fires and what fired, the rules behind it, and how people are told."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from windlass.core.alerts.records import AlertState, Severity
from windlass.core.units import read_past
from windlass.errors import ConfigError
from windlass.web.problems import not_found
from windlass.web.route import Call, Nothing
from windlass.web.site.forms.alerts import editor, texts_of
from windlass.web.site.page import Page

_SHOWN = 100
_DELIVERIES = 20
_SINCE = ("1h", "24h", "7d", "30d")


class AlertsPageQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which alerts; nothing stands for all."""

    severity: str = ""
    state: str = ""
    since: str = ""
    before: str = ""
    """Older than the alert with this id."""
    tested: str = ""
    """The channel by which a test was sent."""


async def alerts(call: Call[AlertsPageQuery, None]) -> Page:
    """Alerts that a filter finds, the newest first, and what could not be delivered."""
    query = call.query
    found = await call.app.alerts.alist(
        limit=_SHOWN,
        cursor=query.before or None,
        severity=query.severity or None,
        state=query.state or None,
        since=read_past(query.since, "since", now=call.now) if query.since else None,
    )
    channels = call.app.alerts.channels()
    shown = {
        "alerts": found.alerts,
        "next": found.next,
        "rules": {alert.id: alert.rule for alert in found.alerts},
        "places": {alert.id: place_of(alert.subject) for alert in found.alerts},
        "firing": await call.app.alerts.afiring(),
        "query": query,
        "severities": [severity.value for severity in Severity],
        "alert_states": [state.value for state in AlertState],
        "ranges": _SINCE if query.since in ("", *_SINCE) else (*_SINCE, query.since),
        "channels": [(channel.name, repr(channel)) for channel in channels],
        "deliveries": await call.app.alerts.adeliveries(limit=_DELIVERIES),
        "tested": query.tested if query.tested in {channel.name for channel in channels} else "",
        "colours": COLOURS,
    }
    return Page("alerts.html", "Alerts", shown, here="/alerts")


def place_of(subject: str) -> str:
    """The page of what an alert is about; empty where it is about all.

    >>> place_of("queue:mail"), place_of("task:shop.pay"), place_of("all")
    ('/queues/mail', '/tasks/shop.pay', '')
    """
    kind, _, name = subject.partition(":")
    return f"/{kind}s/{name}" if kind in ("queue", "task") and name else ""


class RulesPageQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the form for another rule begins with."""

    name: Annotated[str, Meta(max_length=100)] = ""
    expression: Annotated[str, Meta(max_length=500)] = ""
    scope: Annotated[str, Meta(max_length=300)] = "all"


async def alert_rules(call: Call[RulesPageQuery, None]) -> Page:
    """All rules, and the form for another one."""
    rules = await call.app.alerts.arules()
    shown = {
        "rules": rules,
        "off_count": sum(1 for rule in rules if not rule.enabled),
        "given": texts_of(None) | msgspec.structs.asdict(call.query),
        "problem": None,
        "colours": COLOURS,
        **editor(call),
    }
    return Page("alert_rules.html", "Alert rules", shown, here="/alerts")


async def alert_rule(call: Call[Nothing, None]) -> Page:
    """One rule, to be edited."""
    name = call.path["name"]
    try:
        rule = await call.app.alerts.arule(name)
    except ConfigError:
        raise not_found(f"no alert rule is called {name!r}") from None
    newest = await call.app.alerts.alist(limit=10, rule=name)
    shown = {"rule": rule, "newest": newest.alerts, "given": texts_of(rule), "problem": None, **editor(call)}
    return Page("alert_rule.html", name, shown, here="/alerts")


COLOURS = {"critical": "failed", "warning": "retrying", "info": "scheduled"}
"""Which state of a job has the colour of a severity."""
