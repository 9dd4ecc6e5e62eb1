"""What is shown of an alert, a rule and a delivery."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec

from windlass import clock
from windlass.core.alerts.records import AlertRecord, AlertRule, AlertState, Delivery, DeliveryState, Severity
from windlass.insight.redact import redacted_reason, redacted_text


@dataclass(frozen=True, slots=True)
class AlertView:
    """One firing of a rule, from its beginning to its end."""

    id: str
    rule: str
    subject: str
    """What it is about: ``all``, ``queue:mail``, ``task:shop.pay``."""
    severity: Severity
    state: AlertState
    expression: str
    message: str
    readings: Mapping[str, float]
    """The measures of the expression, as they were when it fired."""
    fired_at: datetime
    acknowledged_at: datetime | None
    acknowledged_by: str | None
    resolved_at: datetime | None
    resolved_by: str | None
    """The operator who resolved it by hand; None where its rule no longer held."""
    silenced_until: datetime | None
    """Until when its rule was silenced when it fired; None where it was delivered."""

    @property
    def is_open(self) -> bool:
        return self.state is not AlertState.RESOLVED


@dataclass(frozen=True, slots=True)
class AlertPage:
    """Some alerts, the newest first."""

    alerts: list[AlertView]
    next: str | None
    """The cursor of the page after this one."""


@dataclass(frozen=True, slots=True)
class AlertRuleView:
    """A rule, and what brought it here."""

    name: str
    expression: str
    scope: str
    window: timedelta
    severity: Severity
    cool_down: timedelta
    enabled: bool
    channels: tuple[str, ...]
    """The channels that tell of its alerts; none stands for all that take its severity."""
    description: str
    origin: str
    """``default``, ``code`` or ``operator``."""
    is_edited: bool
    """Whether an operator has changed it: then code does not."""
    revision: int
    """It grows with each change."""
    changed_at: datetime
    silenced_until: datetime | None = None
    """Until then its alerts are recorded and not delivered; None where it is not silenced."""
    silenced_by: str | None = None
    silenced_reason: str | None = None


@dataclass(frozen=True, slots=True)
class DeliveryView:
    """One event for one channel."""

    number: int
    event_id: str
    alert: str
    kind: str
    """``fired`` or ``resolved``."""
    channel: str
    state: DeliveryState
    tries: int
    created_at: datetime
    next_try_at: datetime | None
    settled_at: datetime | None
    last_error: str | None


def alert_view(alert: AlertRecord) -> AlertView:
    return AlertView(
        id=alert.id,
        rule=alert.rule,
        subject=alert.subject,
        severity=Severity(alert.severity),
        state=AlertState(alert.state),
        expression=alert.expression,
        message=alert.message,
        readings=msgspec.json.decode(alert.readings, type=dict[str, float]),
        fired_at=clock.instant(alert.fired_at),
        acknowledged_at=clock.instant_or_none(alert.acknowledged_at),
        acknowledged_by=alert.acknowledged_by,
        resolved_at=clock.instant_or_none(alert.resolved_at),
        resolved_by=alert.resolved_by,
        silenced_until=clock.instant_or_none(alert.silenced_until),
    )


def rule_view(rule: AlertRule) -> AlertRuleView:
    return AlertRuleView(
        name=rule.name,
        expression=rule.expression,
        scope=rule.scope,
        window=timedelta(milliseconds=rule.window_length),
        severity=Severity(rule.severity),
        cool_down=timedelta(milliseconds=rule.cool_down),
        enabled=rule.enabled,
        channels=tuple(rule.channel_names),
        description=redacted_text(rule.description),
        origin=rule.origin,
        is_edited=rule.is_edited,
        revision=rule.revision,
        changed_at=clock.instant(rule.changed_at),
        silenced_until=clock.instant_or_none(rule.silenced_until),
        silenced_by=rule.silenced_by,
        silenced_reason=redacted_reason(rule.silenced_reason),
    )


def delivery_view(delivery: Delivery) -> DeliveryView:
    is_waiting = delivery.state == DeliveryState.WAITING
    return DeliveryView(
        number=delivery.number,
        event_id=delivery.event_id,
        alert=delivery.alert,
        kind=delivery.kind,
        channel=delivery.channel,
        state=DeliveryState(delivery.state),
        tries=delivery.tries,
        created_at=clock.instant(delivery.created_at),
        next_try_at=clock.instant(delivery.next_try_at) if is_waiting else None,
        settled_at=clock.instant_or_none(delivery.settled_at),
        last_error=delivery.last_error,
    )
