"""A rule is silenced for a time: it fires as before, and nothing of that is delivered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from windlass.core.alerts.records import AlertRecord, AlertRule, AlertState
from windlass.core.units import milliseconds
from windlass.errors import ConfigError, Duration

LONGEST_SILENCE = 30 * 86_400_000
"""Milliseconds; a rule that is not wanted for longer is switched off, which is shown as such."""
LONGEST_REASON = 500


def silence_length(duration: Duration, reason: object) -> int:
    """For how many milliseconds to silence a rule, or ``ConfigError``."""
    length = milliseconds(duration, "silence")
    if not 1000 <= length <= LONGEST_SILENCE:
        raise ConfigError(f"silence must be from 1s to 30d, got {length / 1000:g} s; switch the rule off instead")
    if not isinstance(reason, str) or len(reason) > LONGEST_REASON or "\0" in reason:
        raise ConfigError(f"reason must be a text of at most {LONGEST_REASON} characters")
    return length


def in_force(rule: AlertRule, *, now: int) -> AlertRule:
    """The rule without a silence that is over."""
    if rule.silenced_until is None or now < rule.silenced_until:
        return rule
    return replace(rule, silenced_until=None, silenced_by=None, silenced_reason=None)


class AlertChanges(Struct, frozen=True):
    """What is written of alerts in one round, and which of them are delivered to people."""

    fired: list[AlertRecord]
    """All that fire; those of silenced rules are marked."""
    unsilenced: list[AlertRecord]
    """Those that fired in a silence that has ended, and still fire: they are delivered now."""
    resolved: list[AlertRecord]
    """Those whose end is delivered; an alert whose firing was not delivered is left out."""


def apply_silences(
    rules: Mapping[str, AlertRule],
    *,
    fired: Iterable[AlertRecord],
    resolved: Iterable[AlertRecord],
    alerts: Iterable[AlertRecord],
) -> AlertChanges:
    """Decide what is written and delivered; ``rules`` are those in force, ``alerts`` all that are open."""
    silenced = {name: rule.silenced_until for name, rule in rules.items() if rule.silenced_until is not None}
    over = list(resolved)
    gone = {alert.id for alert in over}
    return AlertChanges(
        [replace(alert, silenced_until=silenced.get(alert.rule)) for alert in fired],
        [
            alert
            for alert in alerts
            if alert.silenced_until is not None
            and alert.state == AlertState.FIRING
            and alert.rule not in silenced
            and alert.id not in gone
        ],
        [alert for alert in over if alert.silenced_until is None and alert.rule not in silenced],
    )
