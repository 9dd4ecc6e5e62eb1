"""Text that every store can hold."""

from __future__ import annotations

import re

from windlass.core.codec.rejection import Rejection

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def storable(text: str, limit: int | None = None) -> str:
    """``text`` without characters that SQLite, PostgreSQL or Redis reject, in at most ``limit`` bytes of UTF-8.

    NUL and lone surrogates become U+FFFD. What was cut ends in a mark with the full size; a limit too small for
    the mark leaves it out.

    >>> storable("a" * 100, 30)
    'aaa… [cut, 100 bytes in all]'
    """
    # A subclass may override what is called below; exceptions are known to return such text.
    exact = str.__str__(text)
    clean = _UNSTORABLE.sub(_REPLACEMENT, exact)
    return clean if limit is None else _cut(clean, limit)


def require_text(text: str) -> str:
    """``text`` itself; Rejection if it has a lone surrogate, which has no UTF-8 form."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Rejection("text with a lone surrogate cannot be stored; encode it to bytes") from None
    return text


def _cut(text: str, limit: int) -> str:
    whole = text.encode()
    if len(whole) <= limit:
        return text
    mark = f"… [cut, {len(whole)} bytes in all]"
    room = limit - len(mark.encode())
    return _start(whole, room) + mark if room >= 0 else _start(whole, limit)


def _start(whole: bytes, size: int) -> str:
    # "ignore" drops the character that was cut in half.
    return whole[:size].decode(errors="ignore")
