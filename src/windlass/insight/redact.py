"""Masks secrets: in job data any value whose key sounds like one, and in texts for people what has the form of one."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence

MASK = "••••"

_SECRET = ("password", "passwd", "passphrase", "secret", "token", "key", "authorization", "credential", "cookie")
_WORDS = "|".join(_SECRET)
_TOKEN = re.compile(r"wl_[A-Za-z0-9_-]{16,}")
_FORMS = re.compile(
    r"\bwhsec_[\w+/=-]{8,}|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*|\bgh[pousr]_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{20,}"
    r"|\bxox[abeoprs]-[\w-]{10,}|\b[sr]k[-_](?:live|test|proj|ant)[-_][\w-]{16,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"
    r"|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]{0,20000}(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?"
)
"""Secrets that tell by their form what they are: of webhooks, JSON web tokens, tokens of well-known services, keys."""
_BEGINNINGS = (
    *("whsec_", "eyj", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "akia", "asia"),
    *(f"{kind}k{mark}" for kind in "sr" for mark in "-_"),
    "private key-----",
)
"""Without one of these, in small letters, a text has none of the forms."""
_PASSWORD_IN_URL = re.compile(r"(://[^\s/:@]*:)[^\s/]*(@)")
_CREDENTIALS = re.compile(r"\b(bearer|basic) +[A-Za-z0-9._~+/=-]{6,}", re.IGNORECASE)
_NAME = rf"""(?:{_WORDS})[\w-]{{0,64}}["']?(?:=|(?<=["']): *)"""
"""From the word on, and with a bound: a long run of letters would else be searched anew from each of them."""
_VALUE = r"""(?:"(?:[^"\\]|\\[\s\S])*(?:"|\\?\Z)|'(?:[^'\\]|\\[\s\S])*(?:'|\\?\Z)|[^\s,;&}]+)"""
"""Quoted, and then maybe cut off in the middle, or up to the next blank."""
_ASSIGNED = re.compile(rf"({_NAME}){_VALUE}", re.IGNORECASE)
_SURE = (
    "password|passwd|passphrase|secret|(?:api|access|private|secret|encryption|signing)[-_]?key"
    "|(?:access|auth|refresh|api|session)[-_]?token"
)
_NAMED = re.compile(
    rf"((?:{_SURE})[ \t]{{0,4}}[:=](?!=)[ \t]{{0,4}}"
    rf"|--(?:[\w-]{{0,32}}-)?(?:{_SURE}|token)[ \t]+)"
    rf"{_VALUE}",
    re.IGNORECASE,
)
"""After a word that is a secret for sure a colon or a blank is enough: `password: x`, `--password x`."""
_HEADER = re.compile(
    r"\b((?:proxy-)?authorization[ \t]{0,4}:[ \t]{0,4}(?:[A-Za-z]{1,20}[ \t]+)?|(?:set-)?cookie[ \t]{0,4}:[ \t]{0,4})"
    r"[^\r\n,]+",
    re.IGNORECASE,
)
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
            after_option = [False, *map(_is_secret_option, value)]
            return [
                MASK if is_value and isinstance(member, str) else redacted(member, depth=depth + 1)
                for member, is_value in zip(value, after_option, strict=False)
            ]
        case str() if redacted_text(value) != value:
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
    folded = text.casefold()
    # Most texts have none of these words, and to look for words is much faster than to look for forms.
    if any(begin in folded for begin in _BEGINNINGS):
        text = _FORMS.sub(MASK, text)
    if any(word in folded for word in _SECRET):
        text = _HEADER.sub(rf"\1{MASK}", text)
        text = _NAMED.sub(rf"\1{MASK}", _ASSIGNED.sub(rf"\1{MASK}", text))
    text = _CREDENTIALS.sub(rf"\1 {MASK}", text)
    return _TOKEN.sub(f"wl_{MASK}", text)


def _is_secret_option(word: object) -> bool:
    """Whether the next word of a command is a secret, as after ``--password``."""
    return isinstance(word, str) and word.startswith("--") and "=" not in word and is_secret(word)


def redacted_reason(reason: str | None) -> str | None:
    """Why an operator did something, as it is stored: it is shown wherever the thing is."""
    return reason and redacted_text(reason)


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
