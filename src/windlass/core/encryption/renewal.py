"""The same texts under the key that encrypts now."""

from __future__ import annotations

from windlass.core.codec.stored_text.seal import unseal
from windlass.core.encryption.encryption import Encryption, Owner
from windlass.core.encryption.jobs import open_text, opened_errors
from windlass.core.encryption.text import is_encrypted, parts_of, refuse_unopened
from windlass.core.records import JobRecord

TEXTS = ("payload", "meta", "result", "errors", "progress")


def renewed_text(encryption: Encryption, field: str, owner: Owner, text: str | None, *, clear: bool) -> str | None:
    """The text under the newest key; None where it stays as it is. With ``clear``, also one that is not encrypted.

    ``NoKey`` and ``PayloadError`` for what cannot be opened.
    """
    if _stays(encryption, text, clear=clear):
        return None
    opened = open_text(encryption, field, owner, text)
    return encryption.encrypt(field, owner, unseal(opened or ""))


def renewed_call(encryption: Encryption, job: JobRecord, *, clear: bool) -> str | None:
    """The same for the payload of a job."""
    if _stays(encryption, job.payload, clear=clear):
        return None
    if not is_encrypted(job.payload):
        return encryption.encrypt_call(unseal(job.payload), id=job.id, unique_key=None)
    opened = encryption.decrypt_call(job.payload, id=job.id, unique_key=job.unique_key)
    unique_key = job.unique_key if parts_of(job.payload).is_by_unique_key else None
    return encryption.encrypt_call(opened, id=job.id, unique_key=unique_key)


def renewed_errors(encryption: Encryption, job: JobRecord, *, clear: bool) -> str | None:
    """The same for the errors of a job, with what was added to them without the key."""
    if job.errors is None or not is_encrypted(job.errors):
        return renewed_text(encryption, "errors", (job.id,), job.errors, clear=clear)
    first, _, added = job.errors.partition("\n")
    if encryption.is_current(first) and not added:
        return None
    opened = opened_errors(encryption, job.id, job.errors) or ""
    refuse_unopened(opened)
    return encryption.encrypt("errors", (job.id,), unseal(opened))


def _stays(encryption: Encryption, text: str | None, *, clear: bool) -> bool:
    return text is None or (encryption.is_current(text) if is_encrypted(text) else not clear)
