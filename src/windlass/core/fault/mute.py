"""What an operator says when a cause of failures is muted."""

from __future__ import annotations

import re
from typing import Final

from windlass.core.codec.stored_text.storable import storable
from windlass.core.units import milliseconds
from windlass.errors import ConfigError, Duration

UNTIL_DEPLOY: Final = "deploy"
"""A mute of this length lasts until workers are started anew."""
LONGEST = 90 * 86_400_000
"""Milliseconds for which a cause is muted at the most: a mute without an end would hide a cause for good."""
_REASON_KEPT = 500
"""Bytes."""
_GROUP = re.compile(r"[0-9a-f]{12}")


def muted_group(cause: object) -> str:
    """The fingerprint of a group, or ``ConfigError``.

    >>> muted_group("42")
    Traceback (most recent call last):
    windlass.errors.ConfigError: group must be 12 hexadecimal digits, as `windlass dead groups` shows them, got '42'
    """
    if not isinstance(cause, str) or not _GROUP.fullmatch(cause):
        raise ConfigError(f"group must be 12 hexadecimal digits, as `windlass dead groups` shows them, got {cause!r}")
    return cause


def mute_length(lasts: Duration) -> int | None:
    """How many milliseconds a mute lasts; None for until the next deploy.

    >>> mute_length("2h"), mute_length("deploy")
    (7200000, None)
    """
    if lasts == UNTIL_DEPLOY:
        return None
    length = milliseconds(lasts, "lasts")
    if not 1000 <= length <= LONGEST:
        raise ConfigError(f"lasts must be from 1s to 90d, or {UNTIL_DEPLOY!r}, got {lasts!r}")
    return length


def mute_reason(reason: object) -> str:
    """Why, as it is kept; it is shown to all who look."""
    if not isinstance(reason, str) or not reason.strip():
        raise ConfigError(f"reason: say why the group is muted, for those who look later, got {reason!r}")
    return storable(reason.strip(), _REASON_KEPT)
