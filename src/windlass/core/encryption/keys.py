"""Encryption keys: made, read from settings, and what is wrong with them.

A key is the base64 of 64 bytes: 32 that encrypt (AES-256-GCM), and 32 that only compare (HMAC-SHA256). The second half
makes the unique keys of equal calls, so it stays the same when the first is replaced: a new key takes it over from
those that are at hand, and keys that do not share it are refused together.
"""

from __future__ import annotations

import hashlib
import hmac
from binascii import Error as NotBase64
from binascii import a2b_base64, b2a_base64
from collections.abc import Sequence
from os import urandom
from typing import TYPE_CHECKING

from windlass.errors import ConfigError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_HALF = 32
_REMEDY = "`windlass keys generate` makes one"


class Keys:
    """The keys of an app: the first encrypts, all decrypt. Nothing here shows a key."""

    __slots__ = ("_secret", "by_id", "first", "ids", "refusal")

    def __init__(self, texts: object) -> None:
        """``ConfigError`` for what is no key, in words that do not have the key."""
        if isinstance(texts, str) or not isinstance(texts, Sequence) or not texts:
            raise ConfigError("encryption_keys takes a list of keys, the one that encrypts first; " + _REMEDY)
        halves = [_halves(text, number) for number, text in enumerate(texts, 1)]
        self.ids = tuple(_id_of(key) for key, _ in halves)
        if len(set(self.ids)) < len(self.ids):
            raise ConfigError("encryption_keys: the same key is given twice; give each once, the newest first")
        if len({secret for _, secret in halves}) > 1:
            raise ConfigError(
                "encryption_keys: the keys do not belong together, so equal calls could not be told: make a new key "
                "with `windlass keys generate` where the old ones are set"
            )
        cipher, self.refusal = _cipher()
        self.by_id: dict[str, AESGCM] = {id: cipher(key) for id, (key, _) in zip(self.ids, halves, strict=True)}
        self.first = self.by_id[self.ids[0]]
        self._secret = halves[0][1]

    def __repr__(self) -> str:
        return f"<Keys {', '.join(self.ids)}>"

    def digest(self, text: bytes) -> bytes:
        """32 bytes that are the same for the same text, before and after a rotation."""
        return hmac.digest(self._secret, text, "sha256")

    def successor(self) -> str:
        """A new key that belongs to these."""
        return _text(urandom(_HALF) + self._secret)


def new_encryption_key(present: Sequence[str] = ()) -> str:
    """A new key, which belongs to those that are in use, if there are any.

    >>> first = new_encryption_key()
    >>> Keys([new_encryption_key([first]), first]).ids[1] == Keys([first]).ids[0]
    True
    """
    return Keys(present).successor() if present else _text(urandom(2 * _HALF))


def split_keys(text: str) -> list[str]:
    """Keys of a variable or a file, separated by white space or commas; lines that begin with ``#`` are comments."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    return " ".join(lines).replace(",", " ").split()


def _text(key: bytes) -> str:
    return b2a_base64(key, newline=False).decode()


def _halves(text: object, number: int) -> tuple[bytes, bytes]:
    if not isinstance(text, str):
        raise ConfigError(f"encryption_keys: key {number} is no text; {_REMEDY}")
    try:
        key = a2b_base64(text.strip().replace("-", "+").replace("_", "/"), strict_mode=True)
    except (NotBase64, ValueError):
        raise ConfigError(f"encryption_keys: key {number} is not base64; {_REMEDY}") from None
    if len(key) != 2 * _HALF:
        raise ConfigError(f"encryption_keys: key {number} has {len(key)} bytes, not {2 * _HALF}; {_REMEDY}")
    return key[:_HALF], key[_HALF:]


def _id_of(key: bytes) -> str:
    return hashlib.blake2b(key, digest_size=4, person=b"windlass key id").hexdigest()


def _cipher() -> tuple[type[AESGCM], type[Exception]]:
    """What encrypts, and what it raises for a text that does not open."""
    try:
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError as error:
        raise ConfigError(
            "encryption_keys needs the package cryptography; install it with: pip install 'windlass-jobs[crypto]'"
        ) from error
    return AESGCM, InvalidTag
