"""Rows of an answer to typed records."""

from __future__ import annotations

import codecs
from typing import Any, TypeVar

import msgspec

R = TypeVar("R")

_decoders: dict[Any, msgspec.json.Decoder[Any]] = {}
_UNREADABLE = "windlass-unreadable"


def records(part: Any, kind: type[R]) -> list[R]:
    """Decode one part of an answer: JSON text of a whole batch, or plain rows."""
    if isinstance(part, bytes):
        return _from_json(part, kind)
    return msgspec.convert(part, list[kind], strict=False)  # type: ignore[valid-type]  # a runtime type, on purpose


def _from_json(text: bytes, kind: type[R]) -> list[R]:
    decoder = _decoders.get(kind)
    if decoder is None:
        decoder = _decoders[kind] = msgspec.json.Decoder(list[kind], strict=False)  # type: ignore[valid-type]
    try:
        rows: list[R] = decoder.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError):
        # Bytes that are no UTF-8 in one row must not hide the others; that row fails later, by itself.
        rows = decoder.decode(text.decode("utf-8", _UNREADABLE))
    return rows


def _made_unreadable(error: UnicodeError) -> tuple[str, int]:
    """A control character, escaped, in the place of bytes that are no text: JSON inside JSON must not have one, so that
    a damaged payload cannot pass for a sound one with other arguments.
    """
    assert isinstance(error, UnicodeDecodeError)
    return "\\u0001", error.end


codecs.register_error(_UNREADABLE, _made_unreadable)
