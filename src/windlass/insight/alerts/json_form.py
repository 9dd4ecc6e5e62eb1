"""The same as values for JSON: one form for the command line and for HTTP."""

from __future__ import annotations

from windlass.clock import iso
from windlass.insight.alerts.views import AlertPage, AlertRuleView, AlertView, DeliveryView


def alert_form(alert: AlertView) -> dict[str, object]:
    return {
        "id": alert.id,
        "rule": alert.rule,
        "subject": alert.subject,
        "severity": alert.severity.value,
        "state": alert.state.value,
        "expression": alert.expression,
        "message": alert.message,
        "readings": dict(alert.readings),
        "fired_at": iso(alert.fired_at),
        "acknowledged_at": iso(alert.acknowledged_at),
        "acknowledged_by": alert.acknowledged_by,
        "resolved_at": iso(alert.resolved_at),
        "resolved_by": alert.resolved_by,
        "silenced_until": iso(alert.silenced_until),
    }


def alerts_form(page: AlertPage) -> dict[str, object]:
    return {"alerts": [alert_form(alert) for alert in page.alerts], "next": page.next}


def rule_form(rule: AlertRuleView) -> dict[str, object]:
    return {
        "name": rule.name,
        "expression": rule.expression,
        "scope": rule.scope,
        "window_seconds": rule.window.total_seconds(),
        "severity": rule.severity.value,
        "cool_down_seconds": rule.cool_down.total_seconds(),
        "enabled": rule.enabled,
        "channels": list(rule.channels),
        "description": rule.description,
        "origin": rule.origin,
        "edited": rule.is_edited,
        "revision": rule.revision,
        "changed_at": iso(rule.changed_at),
        "silenced_until": iso(rule.silenced_until),
        "silenced_by": rule.silenced_by,
        "silenced_reason": rule.silenced_reason,
    }


def delivery_form(delivery: DeliveryView) -> dict[str, object]:
    return {
        "number": delivery.number,
        "event_id": delivery.event_id,
        "alert": delivery.alert,
        "kind": delivery.kind,
        "channel": delivery.channel,
        "state": delivery.state.value,
        "tries": delivery.tries,
        "created_at": iso(delivery.created_at),
        "next_try_at": iso(delivery.next_try_at),
        "settled_at": iso(delivery.settled_at),
        "last_error": delivery.last_error,
    }
