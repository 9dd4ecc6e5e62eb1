"""What a channel is, which messages it takes, and how one fails."""

from __future__ import annotations

import re
from typing import Protocol, runtime_checkable

from windlass.delivery.message import SEVERITIES, AlertMessage
from windlass.errors import ConfigError, WindlassError

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")


class DeliveryFailed(WindlassError):
    """A message could not be delivered; ``retry_after`` is what the receiver asked for, in seconds."""

    def __init__(self, text: str, *, retry_after: float | None = None) -> None:
        super().__init__(text)
        self.retry_after = retry_after


@runtime_checkable
class Channel(Protocol):
    """One way to reach people. Give an object of your own in ``Windlass(alerts=[...])`` where none of ours fits.

    ``send`` is called on a thread of its own, in one process at a time: that of the leader. It returns when the
    receiver has the message, and raises if it has not; it is called again then, later, with the same ``event_id``.
    """

    @property
    def name(self) -> str:
        """By which it is shown, and by which the store remembers what it has sent."""

    def takes(self, *, severity: str, kind: str) -> bool:
        """Whether alerts of this severity are for this channel when they have ``fired`` or were ``resolved``."""

    def send(self, message: AlertMessage) -> None:
        """Deliver it."""


def is_urgent(severity: str, *, least: str) -> bool:
    """Whether a severity is at least another. An unknown one, of a newer version, is delivered rather than kept back.

    >>> is_urgent("warning", least="critical"), is_urgent("critical", least="warning")
    (False, True)
    """
    return severity not in SEVERITIES or SEVERITIES.index(severity) >= SEVERITIES.index(least)


def checked_name(name: object) -> str:
    """A legal name of a channel, or ``ConfigError``."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ConfigError(f"channel name {name!r}: use small letters, digits, '_' and '-', at most 40")
    return name


def checked_severity(severity: object, name: str) -> str:
    """One of the three severities, or ``ConfigError``."""
    if severity not in SEVERITIES:
        raise ConfigError(
            f"{name}: severity must be {', '.join(SEVERITIES[:-1])} or {SEVERITIES[-1]}, got {severity!r}"
        )
    return str(severity)
