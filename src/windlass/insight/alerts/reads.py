"""Reads them: one, or a page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from windlass.core import validate
from windlass.core.alerts.records import AlertState, DeliveryState, Severity
from windlass.errors import ConfigError
from windlass.insight.alerts.views import (
    AlertPage,
    AlertRuleView,
    AlertView,
    DeliveryView,
    alert_view,
    delivery_view,
    rule_view,
)
from windlass.store.operation import Operation
from windlass.store.operations.alerts.alerts import LIST_AT_MOST, AlertFilter, alerts, open_counts
from windlass.store.operations.alerts.deliveries import deliveries
from windlass.store.operations.alerts.rules import rules


def alert_filter(
    *,
    state: str | Sequence[str] | None = None,
    severity: str | None = None,
    rule: str | None = None,
    acknowledged: bool | None = None,
    since: datetime | None = None,
) -> AlertFilter:
    """What a caller asks for, checked; ``ConfigError`` that names it.

    ``acknowledged`` tells alerts apart that are open: True for those that a person has seen.
    """
    given = [state] if isinstance(state, str) else list(state or ())
    for one in given:
        if one not in list(AlertState):
            raise ConfigError(f"state must be one of {', '.join(AlertState)}, got {one!r}")
    states = [AlertState(one) for one in given] or list(AlertState)
    if acknowledged is not None:
        wanted = AlertState.ACKNOWLEDGED if acknowledged else AlertState.FIRING
        states = [one for one in states if one is wanted]
        if not states:
            raise ConfigError(f"state {', '.join(given)} and acknowledged={acknowledged} let no alert through")
    if severity is not None and severity not in list(Severity):
        raise ConfigError(f"severity must be one of {', '.join(Severity)}, got {severity!r}")
    return AlertFilter(
        rule=rule,
        severity=severity,
        states=states if len(states) < len(AlertState) else (),
        since=None if since is None else validate.milliseconds_since_1970(since, "since"),
    )


def alert_page(filter: AlertFilter, *, limit: int, cursor: str | None) -> Operation[AlertPage]:
    """A page of alerts; ``cursor`` is the ``next`` of the page before."""
    validate.whole_number(limit, "alerts: limit", least=1, most=LIST_AT_MOST)
    found = yield from alerts(filter, limit=limit + 1, before=cursor)
    views = [alert_view(one) for one in found[:limit]]
    return AlertPage(views, views[-1].id if len(found) > limit else None)


def find_alert(id: str) -> Operation[AlertView]:
    """The alert with this id, or the only one whose id begins so; ``ConfigError`` where there is none, or several."""
    found = yield from alerts(AlertFilter(id=_prefix(id)), limit=2)
    exact = [one for one in found if one.id == id.upper()]
    if len(exact or found) == 1:
        return alert_view((exact or found)[0])
    raise ConfigError(f"no alert has the id {id!r}" if not found else f"several alerts have ids that begin with {id!r}")


def rule_views(name: str | None = None) -> Operation[list[AlertRuleView]]:
    """One rule, or all by name."""
    return [rule_view(rule) for rule in (yield from rules(name))]


def delivery_views(
    states: Sequence[DeliveryState] = (), *, limit: int, cursor: int | None = None
) -> Operation[list[DeliveryView]]:
    """The newest deliveries."""
    validate.whole_number(limit, "deliveries: limit", least=1, most=LIST_AT_MOST)
    return [delivery_view(one) for one in (yield from deliveries(states=states, limit=limit, before=cursor))]


def firing_counts() -> Operation[dict[str, int]]:
    """How many alerts fire and were not acknowledged, by severity, the most urgent first."""
    found = yield from open_counts()
    return {
        severity.value: number
        for severity in Severity
        if (number := found.get((AlertState.FIRING.value, severity.value), 0))
    }


def _prefix(id: str) -> str:
    if not id.isascii() or not id.isalnum() or len(id) > 26:
        raise ConfigError(f"no alert has the id {id!r}")
    return id.upper()
