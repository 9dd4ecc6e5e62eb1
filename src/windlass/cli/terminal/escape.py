"""Makes job data harmless for a terminal."""

from __future__ import annotations

import re

# Control characters except newline and tab, characters that reorder text, and those without a UTF-8 form.
UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)


def escaped(text: str) -> str:
    r"""Text of several lines, with characters that could control a terminal written out.

    >>> escaped("\x1b[31mred")
    '\\x1b[31mred'
    """
    # Nearly all text is harmless, and this tells in a fraction of the time.
    return text if text.isascii() and text.isprintable() else UNSAFE.sub(_written_out, text)


def escaped_line(text: str) -> str:
    """``escaped``, on one line."""
    return escaped(" ".join(text.splitlines()) if "\n" in text or "\r" in text else text).replace("\t", " ")


def _written_out(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")
