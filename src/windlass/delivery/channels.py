"""The channels of one app: those that code gives, or the environment names, and the log."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from windlass import clock, delivery
from windlass.client.hints import nearest
from windlass.core.alerts.records import LOG, AlertEvent
from windlass.delivery.channel import Channel, checked_name
from windlass.delivery.log import Log
from windlass.delivery.message import SEVERITIES, AlertMessage
from windlass.errors import ConfigError

PREFIX = "WINDLASS_ALERT_"
"""Of the variables that name channels."""
_VARIABLES = (
    "WEBHOOK",
    "WEBHOOK_SECRET",
    "WEBHOOK_BODY",
    "ALLOW",
    "EMAIL_TO",
    "EMAIL_FROM",
    "SMTP",
    "SMTP_PASSWORD",
    "SEVERITY",
)


class Channels:
    """By name, in the order in which they were given."""

    def __init__(self, given: Iterable[Channel] | None = None) -> None:
        """Without channels of the code's those of the environment count. Every app has a log."""
        found = list(_from_environment() if given is None else _checked(given))
        self._by_name = {channel.name: channel for channel in found}
        if len(self._by_name) < len(found):
            raise ConfigError(
                "alerts: two channels have the same name; give them names of their own, as in Webhook(..., name='ops')"
            )
        self._by_name.setdefault(LOG, Log())

    def __iter__(self) -> Iterator[Channel]:
        return iter(self._by_name.values())

    def get(self, name: str) -> Channel | None:
        return self._by_name.get(name)

    def named(self, name: str) -> Channel:
        """The channel of this name, or ``ConfigError``."""
        channel = self._by_name.get(name)
        if channel is None:
            raise ConfigError(f"there is no channel {name!r}; {nearest(name, tuple(self._by_name))}")
        return channel

    def names_for(self, chosen: Sequence[str], *, severity: str, kind: str) -> list[str]:
        """The channels that an event is for: those that its rule names, or else all that take its severity.

        A name that is not known here stays: a process of another version may know it, and otherwise it is shown as a
        delivery that failed.
        """
        # A rule that names a channel is delivered there whatever its severity.
        urgency = SEVERITIES[-1] if chosen else severity
        names = chosen or self._by_name
        return [name for name in names if self._takes(name, severity=urgency, kind=kind)]

    def _takes(self, name: str, *, severity: str, kind: str) -> bool:
        channel = self._by_name.get(name)
        return channel is None or channel.takes(severity=severity, kind=kind)


def message_of(event: AlertEvent, *, store: str, dashboard: str | None) -> AlertMessage:
    """What channels tell about an event; ``dashboard`` is the address of the pages."""
    alert = event.alert
    return AlertMessage(
        event_id=event.id,
        kind=event.kind.value,
        at=clock.instant(event.at),
        rule=alert.rule,
        severity=alert.severity,
        summary=alert.message,
        alert_id=alert.id,
        scope="" if alert.subject == "all" else alert.subject.replace(":", " ", 1),
        expression=alert.expression,
        values=_values(alert.readings),
        store=store,
        link=f"{dashboard.rstrip('/')}/alerts#alert-{alert.id}" if dashboard else "",
    )


def _values(readings: str) -> dict[str, float]:
    """The numbers among what was measured."""
    try:
        found = msgspec.json.decode(readings, type=dict[str, object])
    except msgspec.MsgspecError:
        return {}
    return {name: float(value) for name, value in found.items() if isinstance(value, int | float)}


def _checked(given: object) -> Iterator[Channel]:
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise ConfigError(
            f"alerts takes a list of channels, as in [Webhook('https://...')]; got {type(given).__name__}"
        )
    for channel in given:
        if isinstance(channel, type) or not isinstance(channel, Channel):
            raise ConfigError(
                f"alerts takes channels such as Webhook('https://...'), Email(...) and Log(), or objects with name, "
                f"takes and send; got {type(channel).__name__}"
            )
        checked_name(channel.name)
        yield channel


def _from_environment() -> Iterator[Channel]:
    found = {name.removeprefix(PREFIX): text for name, text in os.environ.items() if name.startswith(PREFIX) and text}
    for name in found:
        if name not in _VARIABLES:
            raise ConfigError(f"there is no variable {PREFIX}{name}; {nearest(name, _VARIABLES)}")
    least = found.get("SEVERITY", SEVERITIES[0])
    if url := found.get("WEBHOOK"):
        yield delivery.Webhook(
            url,
            secret=found.get("WEBHOOK_SECRET", "").split(),
            body=found.get("WEBHOOK_BODY", "json"),
            allow=[text for text in found.get("ALLOW", "").split(",") if text.strip()],
            severity=least,
        )
    if to := found.get("EMAIL_TO"):
        if "EMAIL_FROM" not in found or "SMTP" not in found:
            raise ConfigError(f"${PREFIX}EMAIL_TO needs ${PREFIX}EMAIL_FROM and ${PREFIX}SMTP, too")
        yield delivery.Email(
            [text.strip() for text in to.split(",")],
            sender=found["EMAIL_FROM"],
            server=found["SMTP"],
            password=found.get("SMTP_PASSWORD"),
            severity=least,
        )
