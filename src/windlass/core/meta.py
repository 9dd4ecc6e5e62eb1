"""Metadata and tags, which travel with a job besides its arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from windlass.core.codec import unseal
from windlass.core.records import JobRecord
from windlass.errors import PayloadError


class Meta(Struct, frozen=True, omit_defaults=True):
    """Metadata of the user's own, the id that joins jobs of one request, and the schedule that made the job."""

    meta: dict[str, Any] = {}
    tags: tuple[str, ...] = ()
    """Only of jobs of earlier releases: tags lie apart now, where stores can look for them."""
    correlation_id: str | None = None
    schedule: str | None = None
    """The name of the schedule that made the job."""
    planned_at: int | None = None
    """The slot for which it was made."""
    enqueued_by: str | None = None
    """The id of the job whose run enqueued it; earlier releases did not keep it."""


_DECODER = msgspec.json.Decoder(Meta)
_TAGS = msgspec.json.Decoder(tuple[str, ...])


def write_meta(
    meta: Mapping[str, object], correlation_id: str | None, enqueued_by: str | None = None
) -> dict[str, object]:
    """The plain form that the codec stores; empty without metadata."""
    plain: dict[str, object] = {}
    if meta:
        plain["meta"] = dict(meta)
    if correlation_id is not None:
        plain["correlation_id"] = correlation_id
    if enqueued_by is not None:
        plain["enqueued_by"] = enqueued_by
    return plain


def read_meta(text: str | None) -> Meta:
    """Never raises: metadata that cannot be read is none."""
    return Meta() if text is None else _decoded(text) or Meta()


def trace_id_of(meta: Meta) -> str | None:
    """The id of the trace that a job belongs to, by W3C's ``traceparent`` in its metadata; None without one.

    >>> trace_id_of(Meta({"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}))
    '0af7651916cd43dd8448eb211c80319c'
    """
    text = meta.meta.get("traceparent")
    parts = text.split("-") if isinstance(text, str) else []
    return parts[1] if len(parts) >= 4 and len(parts[1]) == 32 else None


def logged_correlation(chosen: str | None, id: str, *, is_encrypted: bool) -> str | None:
    """The correlation id of a job as logs may have it: one that its caller chose is encrypted with the metadata.

    >>> logged_correlation("request-7", "job-1", is_encrypted=False)
    'request-7'
    >>> logged_correlation("request-7", "job-1", is_encrypted=True)
    >>> logged_correlation(None, "job-1", is_encrypted=True)
    'job-1'
    """
    if chosen is None:
        return id
    return None if is_encrypted and chosen != id else chosen


def write_tags(tags: tuple[str, ...]) -> str | None:
    """Tags as they are stored, a JSON list that is never encrypted; None for none."""
    return msgspec.json.encode(tags).decode() if tags else None


def read_tags(job: JobRecord) -> tuple[str, ...]:
    """Never raises: tags that cannot be read are none."""
    return read_meta(job.meta).tags if job.tags is None else tags_of(job.tags)


def tags_of(text: str | None) -> tuple[str, ...]:
    """Stored tags; none where they cannot be read."""
    try:
        return () if text is None else _TAGS.decode(text)
    except (msgspec.MsgspecError, ValueError):
        return ()


def meta_texts(key: str, value: str) -> tuple[str, str]:
    """What stored metadata contains if it has this value under this key: as a text, or as anything else.

    >>> meta_texts("tenant", "7")
    ('"tenant":"7"', '"tenant":7')
    """
    name = msgspec.json.encode(key).decode()
    return f"{name}:{msgspec.json.encode(value).decode()}", f"{name}:{value}"


def argument_texts(name: str, value: str) -> tuple[str, str, str, str]:
    """What a stored call contains if it has this value under this name: as a text, or as anything else, by keyword, as
    the first argument, or as a later one.

    >>> argument_texts("order", "7")
    ('"7"', '"order":7', '[7', ',7')
    """
    return msgspec.json.encode(value).decode(), meta_texts(name, value)[1], f"[{value}", f",{value}"


def has_meta(text: str | None, wanted: Sequence[tuple[str, str]]) -> bool:
    """Whether stored metadata has each of these keys with its value; what is no text is compared by its JSON.

    >>> has_meta('{"meta":{"tenant":7,"plan":"pro"}}', [("tenant", "7"), ("plan", "pro")])
    True
    """
    meta = read_meta(text).meta
    return all(key in meta and _shown(meta[key]) == value for key, value in wanted)


def _shown(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def is_readable(text: str) -> bool:
    """Whether this is metadata at all."""
    return _decoded(text) is not None


def _decoded(text: str) -> Meta | None:
    try:
        return _DECODER.decode(unseal(text))
    except (msgspec.MsgspecError, PayloadError, ValueError, RecursionError):
        return None
