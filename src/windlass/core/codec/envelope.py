"""The outermost form of a stored call."""

from __future__ import annotations

import msgspec

from windlass.core.codec.jsontext import parse
from windlass.errors import PayloadError

FORMAT = 1


class NewerFormat(PayloadError):
    """A later version of Windlass wrote this; leave it to workers that can read it."""


class Envelope(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """``{"v": 1, "args": [...], "kwargs": {...}}``, with its values in JSON form."""

    v: int
    args: list[object]
    kwargs: dict[str, object]


class _Versioned(msgspec.Struct, gc=False):
    v: int


_ENVELOPE = msgspec.json.Decoder(Envelope)
_VERSIONED = msgspec.json.Decoder(_Versioned)


def read_envelope(text: str) -> Envelope:
    """Raise NewerFormat for a version above ours, whatever else it holds, and PayloadError for anything wrong."""
    try:
        envelope = parse(text, _ENVELOPE)
    except PayloadError:
        # It may be valid in a newer version.
        _require_ours(parse(text, _VERSIONED).v)
        raise
    _require_ours(envelope.v)
    return envelope


def _require_ours(version: int) -> None:
    if version > FORMAT:
        raise NewerFormat(f"payload format {version} is newer than {FORMAT}, the newest that is read here")
    if version < FORMAT:
        raise PayloadError(f"payload format {version} does not exist; the first is 1")
