"""Signs bodies, and checks signatures: the scheme of Standard Webhooks."""

from __future__ import annotations

import base64
import hmac
from collections.abc import Mapping, Sequence
from hashlib import sha256

from windlass import clock
from windlass.core.units import duration
from windlass.errors import ConfigError, Duration, WindlassError

ID = "Webhook-Id"
TIMESTAMP = "Webhook-Timestamp"
SIGNATURE = "Webhook-Signature"

_ENCODED = "whsec_"
_SHORTEST = 16


class BadSignature(WindlassError):
    """A request was not sent by a holder of the secret, was changed on its way, or is old."""


def signed_headers(secrets: Sequence[str], *, event_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """The headers of a request; with several secrets, while they are changed, there is a signature for each."""
    headers = {ID: event_id, TIMESTAMP: str(timestamp)}
    if secrets:
        headers[SIGNATURE] = " ".join(f"v1,{_signature(secret, event_id, timestamp, body)}" for secret in secrets)
    return headers


def verify(
    secret: str,
    headers: Mapping[str, str],
    body: bytes,
    *,
    tolerance: Duration = "5m",
    now: int | None = None,
) -> str:
    """Check a request of ours, in a receiver that is written in Python; gives its event id, or ``BadSignature``.

    ``body`` is what was received, byte for byte. ``now`` is in seconds since 1970. A request that is sent again has the
    same id: a receiver that remembers ids for a day acts once.

    >>> sent = signed_headers(["a secret of length"], event_id="e1", timestamp=1_700_000_000, body=b"{}")
    >>> verify("a secret of length", sent, b"{}", now=1_700_000_060)
    'e1'
    """
    found = {name.lower(): value for name, value in headers.items()}
    event_id, stamp, signatures = (found.get(name.lower(), "") for name in (ID, TIMESTAMP, SIGNATURE))
    if not (stamp.isascii() and stamp.isdigit() and len(stamp) <= 12):
        raise BadSignature(f"the header {TIMESTAMP} is missing, or no number")
    expected = f"v1,{_signature(secret, event_id, int(stamp), body)}"
    if not any(hmac.compare_digest(expected.encode(), one.encode()) for one in signatures.split(" ")):
        raise BadSignature(f"no signature in the header {SIGNATURE} is right")
    current = clock.now() // 1000 if now is None else now
    if abs(current - int(stamp)) > duration(tolerance, "tolerance").total_seconds():
        raise BadSignature("the request is too old, or the clocks differ")
    return event_id


def checked_secrets(value: object) -> tuple[str, ...]:
    """One secret, or several while they are changed; ``ConfigError`` does not show them."""
    secrets = (value,) if isinstance(value, str) else value
    if not isinstance(secrets, Sequence) or not all(isinstance(secret, str) for secret in secrets):
        raise ConfigError("the secret of a webhook must be a text, or a list of texts")
    for secret in secrets:
        if len(_key(secret)) < _SHORTEST:
            raise ConfigError(f"the secret of a webhook must have at least {_SHORTEST} characters")
    return tuple(secrets)


def _signature(secret: str, event_id: str, timestamp: int, body: bytes) -> str:
    signed = f"{event_id}.{timestamp}.".encode() + body
    return base64.b64encode(hmac.new(_key(secret), signed, sha256).digest()).decode()


def _key(secret: str) -> bytes:
    """The bytes of a secret; those that begin with ``whsec_`` are Base64, as libraries of Standard Webhooks expect."""
    if not secret.startswith(_ENCODED):
        return secret.encode()
    try:
        return base64.b64decode(secret.removeprefix(_ENCODED), validate=True)
    except ValueError:
        raise ConfigError(f"the secret of a webhook begins with {_ENCODED}, but what follows is no Base64") from None
