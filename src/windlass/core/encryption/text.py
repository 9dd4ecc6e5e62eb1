"""The form of an encrypted text; what can be said of it without a key.

- A payload is ``{"v":3,"f":"PRINT","k":"KEY","c":"TEXT"}``: a format that releases without encryption leave to others.
  Stores compare the texts of two calls by their beginning, up to the print (``COMPARED`` characters). With ``"u":1`` it
  is bound to the job's unique key instead of its id: an equal call may replace it without knowing the job.
- Any other text is ``~1.KEY.TEXT``; errors may have a second line, which is clear: what was added without the key.

KEY is the id of the key, eight hexadecimal digits. TEXT is base64: the nonce of 12 bytes, the ciphertext, its tag.
"""

from __future__ import annotations

import re
from binascii import a2b_base64, b2a_base64

import msgspec
from msgspec import Struct

from windlass.errors import NoKey, PayloadError

_MARK = "~1."
_CALL = '{"v":3,"f":"'  # the callback of a group is {"v":3,"args":...
COMPARED = len(_CALL) + 22
"""So many characters of two encrypted payloads are the same if, and only if, the calls are."""
DAMAGED = "~damaged"
"""Stands for an encrypted text that its key does not open."""

_KEY_ID = re.compile(r'^(?:~1\.|\{"v":3,"f":"[^"]{22}","k":")([0-9a-f]{8})[."]')


class _Call(Struct, frozen=True, forbid_unknown_fields=True):
    v: int
    f: str
    k: str
    c: str
    u: int = 0


_DECODER = msgspec.json.Decoder(_Call)


class Sealed(Struct, frozen=True):
    """The parts of an encrypted text."""

    key_id: str
    text: bytes
    """Nonce, ciphertext, tag."""
    is_by_unique_key: bool = False


def is_encrypted(text: str | None) -> bool:
    """Whether this is the form of an encrypted text.

    >>> is_encrypted("~1.0badcafe.AAAA"), is_encrypted('{"v":1,"args":[],"kwargs":{}}'), is_encrypted(None)
    (True, False, False)
    """
    return text is not None and text.startswith((_MARK, _CALL))


def key_id_of(text: str) -> str | None:
    """The id of the key that it needs; None where it is too damaged to say.

    >>> key_id_of("~1.0badcafe.AAAA")
    '0badcafe'
    """
    found = _KEY_ID.match(text)
    return None if found is None else found[1]


def refuse_unopened(text: str) -> None:
    """``NoKey`` for a text that is still encrypted, ``PayloadError`` for what stands for a damaged one."""
    if text == DAMAGED:
        raise PayloadError("the encrypted text is damaged, or was written for another job: its key does not open it")
    if is_encrypted(text):
        raise no_key(text)


def no_key(text: str) -> NoKey:
    """What is raised where the key of a text is not at hand."""
    id = key_id_of(text)
    return NoKey(
        f"encrypted under the key {id or '?'}, which is not at hand here; add it to encryption_keys, or to "
        "$WINDLASS_ENCRYPTION_KEYS",
        key_id=id,
    )


def text_form(key_id: str, sealed: bytes) -> str:
    return f"{_MARK}{key_id}.{b2a_base64(sealed, newline=False).decode()}"


def call_form(key_id: str, sealed: bytes, *, print: bytes, is_by_unique_key: bool) -> str:
    """The form of a payload; ``print`` has 16 bytes."""
    short = b2a_base64(print, newline=False).decode()[:22]
    end = ',"u":1}' if is_by_unique_key else "}"
    return f'{_CALL}{short}","k":"{key_id}","c":"{b2a_base64(sealed, newline=False).decode()}"{end}'


def parts_of(text: str) -> Sealed:
    """``PayloadError`` for a text that has not the form."""
    try:
        if text.startswith(_CALL):
            call = _DECODER.decode(text)
            return Sealed(call.k, a2b_base64(call.c, strict_mode=True), bool(call.u))
        _, key_id, sealed = text.split(".")
        return Sealed(key_id, a2b_base64(sealed, strict_mode=True))
    except (ValueError, msgspec.MsgspecError) as error:
        raise PayloadError(f"not the form of an encrypted text: {error}") from error


def compared(payload: str) -> str:
    """What two payloads are compared by.

    >>> compared('{"v":1,"args":[],"kwargs":{}}')
    '{"v":1,"args":[],"kwargs":{}}'
    """
    return payload[:COMPARED] if payload.startswith(_CALL) else payload
