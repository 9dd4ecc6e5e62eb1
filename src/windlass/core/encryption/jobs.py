"""The texts of jobs: encrypted on their way to the store, opened on their way back.

What cannot be opened stays as it is where the key is missing: its readers raise ``NoKey``. A damaged text becomes
``DAMAGED``, which they cannot read either.
"""

from __future__ import annotations

from typing import Protocol, TypeVar

from msgspec.structs import astuple, replace

from windlass.core.codec.stored_text.seal import seal, unseal
from windlass.core.encryption.encryption import Encryption, Owner
from windlass.core.encryption.text import DAMAGED, is_encrypted
from windlass.core.ending import Ending
from windlass.core.fault.history import joined
from windlass.core.progress import write_progress
from windlass.core.records import Claimed, JobRecord
from windlass.errors import NoKey, PayloadError


class EncryptedJob(Claimed, frozen=True, array_like=True, gc=False):
    """A claimed job whose texts are encrypted in the store, and as far as there are keys clear here."""


class EndedJob(Protocol):
    """A finished job as those who wait for it read it."""

    @property
    def id(self) -> str: ...
    @property
    def result(self) -> str | None: ...
    @property
    def errors(self) -> str | None: ...


E = TypeVar("E", bound=EndedJob)

_PAYLOAD, _META, _ERRORS = map(Claimed.__struct_fields__.index, ("payload", "meta", "errors"))


def open_claimed(encryption: Encryption, job: Claimed) -> Claimed:
    """A job to run: an ``EncryptedJob`` if a text of it was encrypted."""
    if not (is_encrypted(job.payload) or is_encrypted(job.meta) or is_encrypted(job.errors)):
        return job
    fields = list(astuple(job))
    fields[_PAYLOAD] = _open_call(encryption, job)
    fields[_META] = _open(encryption, "meta", (job.id,), job.meta)
    fields[_ERRORS] = opened_errors(encryption, job.id, job.errors)
    return EncryptedJob(*fields)


def as_encrypted(job: Claimed) -> EncryptedJob:
    """A job that came with clear texts, and whose task is encrypted."""
    return EncryptedJob(*astuple(job))


def open_record(encryption: Encryption, job: JobRecord) -> JobRecord:
    """A job to look at."""
    if not encryption.is_on:
        return job
    return replace(
        job,
        payload=_open_call(encryption, job),
        meta=_open(encryption, "meta", (job.id,), job.meta),
        result=_open(encryption, "result", (job.id,), job.result),
        errors=opened_errors(encryption, job.id, job.errors),
        progress=_open(encryption, "progress", (job.id,), job.progress),
    )


def open_ended(encryption: Encryption, job: E) -> E:
    """A job that was waited for."""
    if not (is_encrypted(job.result) or is_encrypted(job.errors)):
        return job
    result = _open(encryption, "result", (job.id,), job.result)
    opened: E = replace(job, result=result, errors=opened_errors(encryption, job.id, job.errors))  # type: ignore[type-var]  # a struct
    return opened


def seal_ending(encryption: Encryption, job: Claimed, ending: Ending) -> Ending:
    """What is written when a run of an ``EncryptedJob`` has ended."""
    if not encryption.is_on or (ending.result is None and ending.errors is None):
        return ending
    cause = ending.cause
    return replace(
        ending,
        # The fingerprint of a message that can be guessed would tell that it is the one.
        cause=None if cause is None else encryption.digest(cause.encode())[: len(cause)],
        result=seal_text(encryption, "result", (job.id,), ending.result),
        errors=seal_text(encryption, "errors", (job.id,), ending.errors),
    )


def shown_progress(encryption: Encryption, job: Claimed, value: float | None, text: str | None) -> str:
    """Progress as it is stored."""
    written = write_progress(value, text)
    if isinstance(job, EncryptedJob) and encryption.is_on:
        return encryption.encrypt("progress", (job.id,), written.encode())
    return written


def seal_text(encryption: Encryption, field: str, owner: Owner, text: str | None) -> str | None:
    """A text of the codec, encrypted; one that is encrypted already stays as it is."""
    if text is None or is_encrypted(text):
        return text
    return encryption.encrypt(field, owner, unseal(text))


def open_text(encryption: Encryption, field: str, owner: Owner, text: str | None) -> str | None:
    """A text for the codec; still encrypted where its key is missing."""
    return _open(encryption, field, owner, text)


def _open(encryption: Encryption, field: str, owner: Owner, text: str | None) -> str | None:
    if text is None or not is_encrypted(text):
        return text
    try:
        return seal(encryption.decrypt(field, owner, text))
    except NoKey:
        return text
    except PayloadError:
        return DAMAGED


def _open_call(encryption: Encryption, job: Claimed | JobRecord) -> str:
    if not is_encrypted(job.payload):
        return job.payload
    try:
        return seal(encryption.decrypt_call(job.payload, id=job.id, unique_key=job.unique_key))
    except NoKey:
        return job.payload
    except PayloadError:
        return DAMAGED


def opened_errors(encryption: Encryption, id: str, text: str | None) -> str | None:
    """With what was added without the key, if there is any."""
    if text is None or not is_encrypted(text):
        return text
    first, _, added = text.partition("\n")
    opened = _open(encryption, "errors", (id,), first)
    if not added or opened is None or opened == DAMAGED:
        return opened
    return text if is_encrypted(opened) else joined(opened, added)
