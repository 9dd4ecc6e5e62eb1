"""Makes the text of a token, and the digest under which it is stored."""

from __future__ import annotations

import base64
import re
from hashlib import sha256

PREFIX = "wl_"
"""By which secret scanners find tokens that were published by mistake."""

BITS = 256

_TOKEN = re.compile(r"wl_[A-Za-z0-9_-]{43}")


def token_text(random: int) -> str:
    """The text of a token with these random bits.

    >>> token_text(1)
    'wl_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE'
    """
    return PREFIX + base64.urlsafe_b64encode(random.to_bytes(BITS // 8)).decode().rstrip("=")


def is_token(text: str) -> bool:
    """Whether a text has the form of a token."""
    return _TOKEN.fullmatch(text) is not None


def digest_of(text: str) -> str:
    """What is stored of a token. It has 256 random bits, so a plain hash cannot be turned back."""
    return sha256(text.encode()).hexdigest()
