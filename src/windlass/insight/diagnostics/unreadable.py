"""Which stored texts of a job are damaged."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from windlass.core.codec import NewerFormat, unseal
from windlass.core.codec.envelope import read_envelope
from windlass.core.encryption.text import is_encrypted, key_id_of
from windlass.core.fault import read_faults
from windlass.core.meta import is_readable
from windlass.core.records import JobRecord
from windlass.errors import PayloadError


def unreadable_texts(job: JobRecord) -> tuple[str, ...]:
    """The names of those texts that do not fit their checksum, or are not what belongs there.

    A payload of a newer release counts as readable: newer workers read it. So does what is encrypted under a key
    that is not at hand.
    """
    texts: tuple[tuple[str, str | None, Callable[[str], bool]], ...] = (
        ("payload", job.payload, _is_call),
        ("meta", job.meta, is_readable),
        ("result", job.result, _is_json),
        ("errors", job.errors, lambda text: not read_faults(text).corrupt),
    )
    return tuple(name for name, text, reads in texts if text is not None and not is_encrypted(text) and not reads(text))


def encrypted_texts(job: JobRecord) -> dict[str, str]:
    """The names of those texts that are encrypted, each with the id of its key (``?`` where that is damaged)."""
    texts = {
        "payload": job.payload,
        "meta": job.meta,
        "result": job.result,
        "errors": job.errors,
        "progress": job.progress,
    }
    return {name: key_id_of(text) or "?" for name, text in texts.items() if text is not None and is_encrypted(text)}


def _is_call(text: str) -> bool:
    try:
        read_envelope(text)
    except NewerFormat:
        return True
    except PayloadError:
        return False
    return True


def _is_json(text: str) -> bool:
    try:
        msgspec.json.decode(unseal(text))
    except (msgspec.MsgspecError, PayloadError, ValueError, RecursionError):
        return False
    return True
