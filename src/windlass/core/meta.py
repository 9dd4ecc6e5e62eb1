"""Metadata that travels with a job besides its arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct


class Meta(Struct, frozen=True, omit_defaults=True):
    """Metadata of the user's own, tags, and the id that joins jobs of one request."""

    meta: dict[str, Any] = {}
    tags: tuple[str, ...] = ()
    correlation_id: str | None = None


_DECODER = msgspec.json.Decoder(Meta)


def write_meta(meta: Mapping[str, object], tags: tuple[str, ...], correlation_id: str | None) -> dict[str, object]:
    """The plain form that the codec stores; empty without metadata."""
    plain: dict[str, object] = {}
    if meta:
        plain["meta"] = dict(meta)
    if tags:
        plain["tags"] = list(tags)
    if correlation_id is not None:
        plain["correlation_id"] = correlation_id
    return plain


def read_meta(text: str | None) -> Meta:
    """Never raises: metadata that cannot be read is none."""
    return Meta() if text is None else _decoded(text) or Meta()


def is_readable(text: str) -> bool:
    """Whether this is metadata at all."""
    return _decoded(text) is not None


def _decoded(text: str) -> Meta | None:
    try:
        return _DECODER.decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
