"""The seal behind a stored text: its checksum, written in white space.

A sealed text is JSON and eight characters that are the CRC-16 of that JSON, two bits each. Every reader of JSON passes
over white space, so sealed texts stay readable for other languages, for the JSON functions of databases, and for
releases that know no seal. A CRC of 16 bits finds one, two and every odd number of flipped bits; one of 32 bits would
double what a seal costs, which is mostly that white space is escaped wherever texts travel inside JSON.

- A text that does not end in white space has no seal: an earlier release or another program wrote it. It is read as it
  is.
- An encrypted text has no seal and needs none (``core/encryption/text.py``): who has its key opens it before it is read
  here. Other formats will have a seal of another length.
"""

from __future__ import annotations

from binascii import crc_hqx
from itertools import product

from windlass.core.encryption.text import refuse_unopened
from windlass.errors import PayloadError

_WHITE = " \t\n\r"
_LENGTH = 8
_FOUR = ["".join(digits) for digits in product(_WHITE, repeat=4)]
"""Eight bits each."""


def seal(json: bytes) -> str:
    """The text to store.

    >>> sealed = seal(b'{"n":1}')
    >>> unseal(sealed)
    b'{"n":1}'
    >>> sealed.rstrip()
    '{"n":1}'
    """
    sum = crc_hqx(json, 0xFFFF)
    return f"{json.decode()}{_FOUR[sum >> 8]}{_FOUR[sum & 0xFF]}"


def unseal(text: str) -> bytes:
    """The JSON of a stored text, sealed or not; PayloadError if it does not fit its seal, or is no text at all."""
    json = opened(text)
    return bare(text) if json is None else json


def opened(text: str) -> bytes | None:
    """The JSON of a text with a seal that fits; None for any other."""
    try:
        json = text[:-_LENGTH].encode()
    except UnicodeEncodeError:
        return None
    sum = crc_hqx(json, 0xFFFF)
    return json if text[-_LENGTH:] == f"{_FOUR[sum >> 8]}{_FOUR[sum & 0xFF]}" else None


def bare(text: str) -> bytes:
    """A text without a seal; PayloadError where there is one, which then does not fit, and for an encrypted text."""
    refuse_unopened(text)
    end = text[1 - _LENGTH :]
    # Without its first character, which may be damaged so that it reads as a part of a number before it.
    if len(end) == _LENGTH - 1 and not end.strip(_WHITE):
        raise PayloadError(
            "the stored text does not fit its checksum, so it is damaged; "
            "if it was changed by hand, remove the white space at its end"
        )
    # A seal that is not all white space any more makes no JSON together with what is before it.
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise PayloadError(f"not text: {error}") from error
