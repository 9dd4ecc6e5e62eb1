"""Encrypts and decrypts texts, each bound to where it belongs."""

from __future__ import annotations

from collections.abc import Sequence
from os import urandom

import msgspec

from windlass.core.encryption.keys import Keys
from windlass.core.encryption.text import call_form, no_key, parts_of, text_form
from windlass.errors import ConfigError, PayloadError

_NONCE = 12
_TAG = 16
Owner = tuple[str, ...]
"""What a text belongs to: the id of its job, the name of its event."""


class Encryption:
    """What an app encrypts, and its keys; both may be changed while it runs.

    A text is bound to its owner and its field: moved to another row, it does not open.
    """

    __slots__ = ("_keys", "by_default", "is_on")

    def __init__(self, keys: Sequence[str] | None = None, *, by_default: bool = True) -> None:
        self.by_default = by_default
        """Whether tasks are encrypted that do not say so themselves."""
        self._keys: Keys | None = None
        self.is_on = False
        """Whether there are keys."""
        self.use(keys)

    def __repr__(self) -> str:
        return f"<Encryption {self._keys or 'without keys'}>"

    def use(self, keys: Sequence[str] | None) -> None:
        """Take these keys from now on; None for none."""
        self._keys = None if keys is None else Keys(keys)
        self.is_on = self._keys is not None

    @property
    def keys(self) -> Keys:
        if self._keys is None:
            raise ConfigError(
                "there are no encryption keys; give encryption_keys=[...], or set $WINDLASS_ENCRYPTION_KEYS or "
                "$WINDLASS_ENCRYPTION_KEYS_FILE; `windlass keys generate` makes a key"
            )
        return self._keys

    def encrypts(self, choice: bool | None, what: str) -> bool:
        """Whether ``what`` is encrypted, which says so itself or has no ``choice``; ``ConfigError`` if it cannot be."""
        if choice and not self.is_on:
            raise ConfigError(
                f"{what} is to be encrypted, and there are no keys: give encryption_keys=[...], or set "
                "$WINDLASS_ENCRYPTION_KEYS; `windlass keys generate` makes a key"
            )
        return self.is_on and (self.by_default if choice is None else choice)

    def encrypt(self, field: str, owner: Owner, clear: bytes) -> str:
        """The text to store."""
        keys = self.keys
        return text_form(keys.ids[0], _sealed(keys, urandom(_NONCE), clear, _bound_to(field, owner)))

    def encrypt_call(self, clear: bytes, *, id: str, unique_key: str | None) -> str:
        """A payload to store; with a unique key it is bound to that instead of the job's id."""
        keys = self.keys
        bound = _bound_to("payload", (id,) if unique_key is None else ("unique", unique_key))
        return call_form(
            keys.ids[0],
            _sealed(keys, urandom(_NONCE), clear, bound),
            print=keys.digest(_bound_to("call", (id,)) + clear)[:16],
            is_by_unique_key=unique_key is not None,
        )

    def encrypt_same(self, field: str, owner: Owner, clear: bytes) -> str:
        """The same text each time, as long as the key is the same: for what is compared as a whole.

        The nonce is made of what is encrypted, so it repeats for the same text only.
        """
        keys = self.keys
        bound = _bound_to(field, owner)
        nonce = keys.digest(b"nonce" + keys.ids[0].encode() + bound + clear)[:_NONCE]
        return text_form(keys.ids[0], _sealed(keys, nonce, clear, bound))

    def decrypt(self, field: str, owner: Owner, text: str) -> bytes:
        """The clear text; ``NoKey`` where its key is not at hand, ``PayloadError`` where it does not open."""
        parts = parts_of(text)
        return self._opened(text, parts.key_id, parts.text, _bound_to(field, owner))

    def decrypt_call(self, text: str, *, id: str, unique_key: str | None) -> bytes:
        """The clear text of a payload."""
        parts = parts_of(text)
        owner = ("unique", unique_key or "") if parts.is_by_unique_key else (id,)
        return self._opened(text, parts.key_id, parts.text, _bound_to("payload", owner))

    def digest(self, text: bytes) -> str:
        """32 hexadecimal digits that are the same for the same text, and tell nothing of it without the keys."""
        return self.keys.digest(text)[:16].hex()

    def is_current(self, text: str) -> bool:
        """Whether it is encrypted under the key that encrypts now."""
        return parts_of(text).key_id == self.keys.ids[0]

    def _opened(self, text: str, key_id: str, sealed: bytes, bound: bytes) -> bytes:
        if self._keys is None:
            raise no_key(text)
        if len(sealed) < _NONCE + _TAG:
            raise PayloadError("the encrypted text is too short")
        by_id = self._keys.by_id
        is_known = key_id in by_id
        # The id itself may be damaged: then one of the other keys opens it.
        for key in [by_id[key_id]] if is_known else by_id.values():
            try:
                return key.decrypt(sealed[:_NONCE], sealed[_NONCE:], bound)
            except self._keys.refusal:
                pass
        if is_known:
            raise PayloadError("the encrypted text is damaged, or belongs elsewhere: its key does not open it")
        raise no_key(text)


NO_ENCRYPTION = Encryption()
"""Without keys: encrypts nothing, opens nothing."""


def _sealed(keys: Keys, nonce: bytes, clear: bytes, bound: bytes) -> bytes:
    return nonce + keys.first.encrypt(nonce, clear, bound)


def _bound_to(field: str, owner: Owner) -> bytes:
    return msgspec.json.encode((field, *owner))
