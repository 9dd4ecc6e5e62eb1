"""Refusing what is over its limit."""

from __future__ import annotations

from windlass.core.codec.envelope import Envelope
from windlass.core.codec.jsontext import to_json
from windlass.core.codec.signature import Place, Signature
from windlass.errors import PayloadTooLarge


def bounded(text: bytes, limit: int, subject: str) -> str:
    """``text`` as str; PayloadTooLarge if it is longer than ``limit`` bytes."""
    if len(text) > limit:
        raise PayloadTooLarge(f"{subject} is {len(text):,} bytes, the limit is {limit:,}")
    return text.decode()


def call_too_large(size: int, limit: int, signature: Signature, call: Envelope) -> PayloadTooLarge:
    """The error for a whole call; it names the largest argument."""
    places: list[tuple[Place, object]] = [*enumerate(call.args), *call.kwargs.items()]
    sizes = [(len(to_json(value)), signature.subject(place)) for place, value in places]
    part = "; the largest part is {1} with {0:,} bytes".format(*max(sizes)) if sizes else ""
    return PayloadTooLarge(f"payload is {size:,} bytes, the limit is {limit:,}{part}")
