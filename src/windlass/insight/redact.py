"""Masks secrets: in job data any value whose key sounds like one, and in texts for people what has the form of one."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence

MASK = "••••"

_SECRET = ("password", "passwd", "passphrase", "secret", "token", "key", "authorization", "credential", "cookie")
_WORDS = "|".join(_SECRET)
_TOKEN = re.compile(r"wl_[A-Za-z0-9_-]{16,}")
_PASSWORD_IN_URL = re.compile(r"(://[^\s/:@]*:)[^\s/]*(@)")
_CREDENTIALS = re.compile(r"\b(bearer|basic) +[A-Za-z0-9._~+/=-]{6,}", re.IGNORECASE)
_NAME = rf"""(?:{_WORDS})[\w-]{{0,64}}["']?(?:=|(?<=["']): *)"""
"""From the word on, and with a bound: a long run of letters would else be searched anew from each of them."""
_ASSIGNED = re.compile(rf"""({_NAME})("[^"]*"|'[^']*'|[^\s,;&}}]+)""", re.IGNORECASE)
_DEEPEST = 200
"""Deeper than the codec stores, below Python's recursion limit: deeper values are hostile, and masked."""


def is_secret(name: object) -> bool:
    """Whether a value under this key is a secret.

    >>> is_secret("X-Api-Key"), is_secret("user")
    (True, False)
    """
    return isinstance(name, str) and any(word in name.lower() for word in _SECRET)


def redacted(value: object, *, depth: int = 0) -> object:
    """A copy of a JSON value, as payloads hold it, with the secrets masked.

    >>> redacted({"user": 1, "login": [{"password": "hunter2"}]})
    {'user': 1, 'login': [{'password': '••••'}]}

    A text that holds credentials is masked as a whole, so that what is left of it is not taken for the value.

    >>> redacted(["redis://me:hunter2@host", "redis://host"])
    ['••••', 'redis://host']
    """
    if depth > _DEEPEST:
        return MASK
    match value:
        case {"$": "dict", "v": list(pairs)}:
            # A dict with other keys than text, stored as pairs.
            return {"$": "dict", "v": [_redacted_pair(pair, depth + 1) for pair in pairs]}
        case dict():
            return {
                name: MASK if is_secret(name) else redacted(member, depth=depth + 1) for name, member in value.items()
            }
        case list():
            return [redacted(member, depth=depth + 1) for member in value]
        case str() if _PASSWORD_IN_URL.search(value) or _CREDENTIALS.search(value) or _TOKEN.search(value):
            return MASK
        case _:
            return value


def redacted_text(text: str) -> str:
    """A text for people without the secrets that can be told by their form: tokens, passwords in URLs, credentials of
    HTTP, and values behind a name that sounds like a secret.

    >>> redacted_text("GET /?token=abc by wl_0123456789abcdefghij on redis://me:hunter2@host")
    'GET /?token=•••• by wl_•••• on redis://me:••••@host'
    """
    text = _PASSWORD_IN_URL.sub(rf"\1{MASK}\2", text)
    text = _CREDENTIALS.sub(rf"\1 {MASK}", _ASSIGNED.sub(rf"\1{MASK}", text))
    return _TOKEN.sub(f"wl_{MASK}", text)


def redacted_arguments(args: Sequence[object], names: Sequence[str]) -> list[object]:
    """Positional arguments, masked by the ``names`` of the parameters they are for; there may be too few names.

    >>> redacted_arguments(["ann", "hunter2", 3], ["user", "password"])
    ['ann', '••••', 3]
    """
    named = [*names, *[""] * len(args)]
    return [MASK if is_secret(name) else redacted(value) for value, name in zip(args, named, strict=False)]


def _redacted_pair(pair: object, depth: int) -> object:
    match pair:
        case [key, _] if is_secret(_text_of(key)):
            return [key, MASK]
        case _:
            return redacted(pair, depth=depth)


def _text_of(key: object) -> object:
    """The key as text if it is text or bytes, as the names of headers often are."""
    match key:
        case Mapping() if key.get("$") == "bytes" and isinstance(key.get("v"), str):
            try:
                return base64.b64decode(str(key["v"])).decode("latin-1")
            except ValueError:
                return None
        case _:
            return key
