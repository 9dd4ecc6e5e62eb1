"""Types of what is asked and answered."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType


class AlertQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which alerts."""

    state: str | UnsetType = UNSET
    """``firing``, ``acknowledged`` or ``resolved``; several with commas between them."""
    severity: str | UnsetType = UNSET
    acknowledged: bool | UnsetType = UNSET
    """Of those that are open: whether a person has seen them."""
    rule: str | UnsetType = UNSET
    since: str | UnsetType = UNSET
    """Fired since then: ``2h``, or an instant with its zone."""
    limit: Annotated[int, Meta(ge=1, le=1000)] = 50
    cursor: str | UnsetType = UNSET


class Alert(Struct, frozen=True):
    """One firing of a rule, from its beginning to its end."""

    id: str
    rule: str
    subject: str
    severity: str
    state: str
    expression: str
    message: str
    readings: dict[str, float]
    fired_at: datetime
    acknowledged_at: datetime | None
    acknowledged_by: str | None
    resolved_at: datetime | None
    resolved_by: str | None
    silenced_until: datetime | None
    """Until when its rule was silenced when it fired; null where it was told."""


class Alerts(Struct, frozen=True):
    """A page of alerts, the newest first."""

    alerts: list[Alert]
    next: str | None


class AlertRule(Struct, frozen=True):
    """A rule, and what brought it here."""

    name: str
    expression: str
    scope: str
    window_seconds: float
    severity: str
    cool_down_seconds: float
    enabled: bool
    channels: list[str]
    description: str
    origin: str
    edited: bool
    revision: int
    changed_at: datetime
    silenced_until: datetime | None
    """Until then its alerts are recorded and not delivered."""
    silenced_by: str | None
    silenced_reason: str | None


class AlertRules(Struct, frozen=True):
    """All rules by name."""

    rules: list[AlertRule]


class RuleSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """What may be changed of a rule."""

    expression: str | UnsetType = UNSET
    scope: str | UnsetType = UNSET
    window: str | float | UnsetType = UNSET
    """Seconds, or a text such as ``5m``."""
    severity: str | UnsetType = UNSET
    cool_down: str | float | UnsetType = UNSET
    enabled: bool | UnsetType = UNSET
    channels: Annotated[list[str], Meta(max_length=20)] | UnsetType = UNSET
    description: str | UnsetType = UNSET


class Silence(Struct, frozen=True, forbid_unknown_fields=True):
    """For how long nothing is delivered of a rule."""

    duration: str | float
    """Seconds, or a text such as ``2h``; at most 30 days."""
    reason: Annotated[str, Meta(max_length=500)] = ""


class NewRule(Struct, frozen=True, forbid_unknown_fields=True):
    """The rule to add."""

    name: str
    expression: str
    scope: str | UnsetType = UNSET
    window: str | float | UnsetType = UNSET
    severity: str | UnsetType = UNSET
    cool_down: str | float | UnsetType = UNSET
    enabled: bool | UnsetType = UNSET
    channels: Annotated[list[str], Meta(max_length=20)] | UnsetType = UNSET
    description: str | UnsetType = UNSET


class Delivery(Struct, frozen=True):
    """One event of an alert for one channel."""

    number: int
    event_id: str
    alert: str
    kind: str
    channel: str
    state: str
    tries: int
    created_at: datetime
    next_try_at: datetime | None
    settled_at: datetime | None
    last_error: str | None


class DeliveryQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which deliveries."""

    failed: bool = False
    limit: Annotated[int, Meta(ge=1, le=1000)] = 50


class Deliveries(Struct, frozen=True):
    """The newest deliveries."""

    deliveries: list[Delivery]


class ChannelTestOrder(Struct, frozen=True, forbid_unknown_fields=True):
    """By which channel to send a test message."""

    channel: str | UnsetType = UNSET
    """Its name; without it, all of them."""


class ChannelTest(Struct, frozen=True):
    """What became of a test message."""

    channel: str
    error: str | None
    """Why it was not delivered."""


class ChannelTests(Struct, frozen=True):
    """One for each channel that was tried."""

    tests: list[ChannelTest]
