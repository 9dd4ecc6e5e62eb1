"""The seal behind a stored text: its checksum, written in white space.

A sealed text is JSON, a line feed, and sixteen characters that are the CRC-32 of that JSON, two bits each. Every reader
of JSON passes over white space, so sealed texts stay readable for other languages, for the JSON functions of databases,
and for releases that know no seal.

- A text that does not end in white space has no seal: an earlier release or another program wrote it. It is read as it
  is.
- The line feed names this format. Another format begins with another character of white space, or is no JSON at all, as
  an encrypted text, which carries the id of its key and needs no checksum.
"""

from __future__ import annotations

from itertools import product
from zlib import crc32

from windlass.errors import PayloadError

_WHITE = " \t\n\r"
_LENGTH = 17
_THREE = ["".join(digits) for digits in product(_WHITE, repeat=3)]
# The parts of a seal are looked up: every job pays for two seals, and adding up digits would take three times as long.
_MIDDLE = [left + right for left in _THREE for right in _THREE]
_FIRST = ["\n" + digits for digits in _MIDDLE]
_LAST = ["".join(digits) for digits in product(_WHITE, repeat=4)]


def seal(json: bytes) -> str:
    """The text to store.

    >>> sealed = seal(b'{"n":1}')
    >>> unseal(sealed)
    b'{"n":1}'
    >>> sealed.rstrip()
    '{"n":1}'
    """
    sum = crc32(json)
    return f"{json.decode()}{_FIRST[sum >> 20]}{_MIDDLE[sum >> 8 & 0xFFF]}{_LAST[sum & 0xFF]}"


def unseal(text: str) -> bytes:
    """The JSON of a stored text; PayloadError if it does not fit its seal, or is no text at all."""
    try:
        json = text[:-_LENGTH].encode()
        end = text[-_LENGTH:]
        sum = crc32(json)
        if end == f"{_FIRST[sum >> 20]}{_MIDDLE[sum >> 8 & 0xFFF]}{_LAST[sum & 0xFF]}":
            return json
        if len(end) == _LENGTH and not end.strip(_WHITE):
            raise PayloadError(
                "the stored text does not fit its checksum, so it is damaged; "
                "if it was changed by hand, remove the white space at its end"
            )
        # A seal that is not all white space any more makes no JSON together with what is before it.
        return text.encode()
    except UnicodeEncodeError as error:
        raise PayloadError(f"not text: {error}") from error
