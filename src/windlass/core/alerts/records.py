"""Rules, alerts, their events, and what is still to be delivered of them."""

from __future__ import annotations

from enum import StrEnum

import msgspec
from msgspec import Struct


class Severity(StrEnum):
    """How urgent an alert is, the most urgent first."""

    CRITICAL = "critical"
    WARNING = "warning"
    INFO = "info"


class AlertState(StrEnum):
    """Where an alert stands. An operator acknowledges one that fires; it is resolved when its rule no longer holds."""

    FIRING = "firing"
    ACKNOWLEDGED = "acknowledged"
    RESOLVED = "resolved"


class EventKind(StrEnum):
    """What happened to an alert that is told to people."""

    FIRED = "fired"
    RESOLVED = "resolved"


class DeliveryState(StrEnum):
    """Where a delivery stands."""

    WAITING = "waiting"
    """It is still to be made, or made again."""
    DELIVERED = "delivered"
    FAILED = "failed"
    """It was tried as often as its channel allows, and is not tried again."""


LOG = "log"
"""The channel that every app has."""


class AlertRule(Struct, frozen=True, array_like=True):
    """A rule as it is stored. All lengths of time are milliseconds."""

    name: str
    expression: str
    """As ``error_rate > 0.05 and queue_depth > 1000``."""
    scope: str
    """``all`` for all jobs together, ``queue`` or ``task`` for each by itself, ``queue:mail`` for one."""
    window_length: int
    severity: str
    cool_down: int
    """For how long after its end an alert is not fired again."""
    enabled: bool
    channels: str
    """JSON list of the names of channels; an empty one stands for all that take its severity."""
    description: str
    origin: str
    """``default``, ``code`` or ``operator``: what brought it here."""
    is_edited: bool
    """Whether an operator has changed it: then code does not."""
    revision: int
    """It grows with each change."""
    changed_at: int
    is_deleted: bool = False
    """One that code declares is kept after it was deleted, so that code does not bring it back."""
    silenced_until: int | None = None
    """Until then its alerts are recorded and not delivered; null where it is not silenced."""
    silenced_by: str | None = None
    silenced_reason: str | None = None

    @property
    def channel_names(self) -> list[str]:
        return msgspec.json.decode(self.channels, type=list[str])


class AlertRecord(Struct, frozen=True, array_like=True):
    """One firing of a rule, from its beginning to its end, as it is stored."""

    id: str
    """A ULID, so ids sort by when alerts fired."""
    rule: str
    subject: str
    """What it is about: ``all``, ``queue:mail``, ``task:shop.pay``."""
    severity: str
    expression: str
    message: str
    """What was found, as a sentence."""
    readings: str
    """JSON object: the measures of the expression by name, as they were when it fired."""
    state: str
    fired_at: int
    acknowledged_at: int | None = None
    acknowledged_by: str | None = None
    resolved_at: int | None = None
    resolved_by: str | None = None
    """The operator who resolved it by hand; null where its rule no longer held."""
    silenced_until: int | None = None
    """Until when its rule was silenced when it fired; null where it was delivered."""


class AlertEvent(Struct, frozen=True):
    """What a channel is to tell: an alert fired, or was resolved."""

    id: str
    """The same whenever the event is delivered again, so that a receiver can tell a repeat."""
    kind: EventKind
    at: int
    """When it happened, in milliseconds since 1970."""
    alert: AlertRecord

    @classmethod
    def of(cls, alert: AlertRecord, kind: EventKind) -> AlertEvent:
        at = alert.fired_at if kind is EventKind.FIRED else alert.resolved_at or alert.fired_at
        return cls(event_id(alert.id, kind), kind, at, alert)


class Delivery(Struct, frozen=True, array_like=True):
    """One event for one channel: what is still to be delivered, or was."""

    number: int
    """Its place in the order of deliveries."""
    alert: str
    kind: str
    """``fired`` or ``resolved``."""
    channel: str
    state: str
    tries: int
    """How often it was tried."""
    created_at: int
    next_try_at: int
    """From when on it is due, while it waits."""
    settled_at: int | None = None
    """When it was delivered, or given up."""
    last_error: str | None = None

    @property
    def event_id(self) -> str:
        return event_id(self.alert, EventKind(self.kind))


class DueDelivery(Struct, frozen=True):
    """A delivery that is due, with what it tells."""

    delivery: Delivery
    event: AlertEvent


def event_id(alert: str, kind: EventKind) -> str:
    """The id of an event, which depends on nothing but the alert and what happened to it.

    >>> event_id("01J8ZP3V1QK7D0C9R6T5M4N3B2", EventKind.FIRED)
    '01J8ZP3V1QK7D0C9R6T5M4N3B2.fired'
    """
    return f"{alert}.{kind.value}"
