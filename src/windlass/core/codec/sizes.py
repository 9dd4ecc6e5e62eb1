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
    largest, place = max(((len(to_json(value)), place) for place, value in places), key=lambda pair: pair[0])
    return PayloadTooLarge(
        f"payload is {size:,} bytes, the limit is {limit:,}; "
        f"the largest part is {signature.subject(place)} with {largest:,} bytes"
    )
