"""One try to send a message, the errors of which hold no secrets; and when the next one is due."""

from __future__ import annotations

from windlass import clock
from windlass.delivery.channel import Channel, DeliveryFailed
from windlass.delivery.message import AlertMessage
from windlass.insight.redact import redacted_text

TRIES = 8
"""After so many a message is given up: the last try is about three hours after the first."""
_FIRST = 10.0
_FACTOR = 3.0
_LONGEST = 3600.0
_TEXT = 300
"""Characters that are kept of an error."""


def try_to_send(channel: Channel, message: AlertMessage) -> DeliveryFailed | None:
    """Send a message; what went wrong, or None."""
    try:
        channel.send(message)
    except DeliveryFailed as error:
        return DeliveryFailed(presentable(str(error)), retry_after=error.retry_after)
    except Exception as error:  # of a channel of the user's: whatever it raises, the next try is due later
        return DeliveryFailed(presentable(f"{type(error).__name__}: {error}"))
    return None


def pause_after(tries: int, retry_after: float | None = None, *, roll: float | None = None) -> float:
    """Seconds until the next try after so many that failed; never sooner than the receiver asked, within an hour.

    >>> [round(pause_after(tries, roll=0.5)) for tries in (1, 2, 3, 7)], pause_after(1, 90, roll=0.5)
    ([10, 30, 90, 3600], 90.0)
    """
    jitter = 0.9 + 0.2 * (clock.roll() if roll is None else roll)
    return min(_LONGEST, max(_FIRST * _FACTOR ** (tries - 1) * jitter, float(retry_after or 0)))


def presentable(text: str) -> str:
    """An error for logs, pages and the store: one line, without secrets, and not long.

    >>> presentable("no\\nanswer from http://me:hunter2@host")
    'no answer from http://me:••••@host'
    """
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    redacted = redacted_text(line)
    return redacted if len(redacted) <= _TEXT else f"{redacted[: _TEXT - 1]}…"
