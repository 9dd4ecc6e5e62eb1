"""How large and how deeply nested stored values may be."""

from __future__ import annotations

from dataclasses import dataclass, fields

from windlass.core.codec.envelope import Envelope
from windlass.core.codec.rejection import Rejection
from windlass.core.codec.signature import Place, Signature
from windlass.core.codec.stored_text.jsontext import to_json
from windlass.core.validate import of_kind, whole_number
from windlass.errors import PayloadTooLarge


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes are bytes of UTF-8; a value of exactly the limit is stored. An error that is longer is cut.

    >>> from windlass import Windlass
    >>> app = Windlass("sqlite:///:memory:", limits=Limits(payload=64 * 1024))
    """

    payload: int = 1024 * 1024
    result: int = 1024 * 1024
    meta: int = 16 * 1024
    error: int = 64 * 1024
    depth: int = 64
    """Containers inside containers; checked on the way in and on the way out."""
    bulk: int = 10_000
    """How many jobs one call may enqueue."""

    def __post_init__(self) -> None:
        for limit in fields(self):
            whole_number(getattr(self, limit.name), f"Limits: {limit.name}", least=1)


def limits_from(setting: object) -> Limits:
    """The given ``limits=``, or the default ones for None."""
    return Limits() if setting is None else of_kind(setting, Limits, "limits", example="Limits(payload=65536)")


def bounded(text: bytes, limit: int, subject: str) -> bytes:
    """``text`` itself; PayloadTooLarge if it is longer than ``limit`` bytes."""
    if len(text) > limit:
        raise PayloadTooLarge(f"{subject} is {len(text):,} bytes, the limit is {limit:,}")
    return text


def call_too_large(size: int, limit: int, signature: Signature, call: Envelope) -> PayloadTooLarge:
    """The error for a whole call; it names the largest argument."""
    places: list[tuple[Place, object]] = [*enumerate(call.args), *call.kwargs.items()]
    sizes = [(len(to_json(value)), signature.subject(place)) for place, value in places]
    part = "; the largest part is {1} with {0:,} bytes".format(*max(sizes)) if sizes else ""
    return PayloadTooLarge(f"payload is {size:,} bytes, the limit is {limit:,}{part}")


class TooDeep(Rejection):
    """Raised where no level is left; the caller adds how many there were."""

    def __init__(self) -> None:
        super().__init__("nested deeper than the limit, or contains itself")

    def name_limit(self, depth: int) -> None:
        self.reason = f"nested deeper than the limit of {depth} levels, or contains itself"


def inside(room: int) -> int:
    """The room that is left inside one more container; ``TooDeep`` if there is none."""
    if room <= 0:
        raise TooDeep
    return room - 1
