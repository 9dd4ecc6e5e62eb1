"""What a schedule says of its jobs, encrypted in the store.

The same definition gives the same text as long as the key is the same, for definitions are compared as a whole.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from windlass.core.codec.stored_text.seal import unseal
from windlass.core.encryption.encryption import Encryption
from windlass.core.encryption.jobs import open_text
from windlass.core.encryption.text import is_encrypted, refuse_unopened
from windlass.errors import ConfigError
from windlass.store.operations.schedules.definition import Definition, read_definition, write_definition

_PAYLOAD, _META = "schedule", "schedule meta"


def encrypted_definition(encryption: Encryption, name: str, definition: Definition) -> Definition:
    """The definition of the schedule of this name, as it is stored."""
    meta = definition.meta
    return replace(
        definition,
        payload=encryption.encrypt_same(_PAYLOAD, (name,), unseal(definition.payload)),
        meta=None if meta is None else encryption.encrypt_same(_META, (name,), meta.encode()),
    )


def opened_definition(encryption: Encryption, name: str, definition: Definition) -> Definition:
    """The definition in clear; what needs a key that is not at hand stays as it is."""
    if not is_encrypted(definition.payload) and not is_encrypted(definition.meta):
        return definition
    meta = open_text(encryption, _META, (name,), definition.meta)
    payload = open_text(encryption, _PAYLOAD, (name,), definition.payload) or ""
    return replace(definition, payload=payload, meta=meta and meta.rstrip())


def renewed_definition(encryption: Encryption, name: str, text: str, *, clear: bool) -> str:
    """The stored definition under the newest key; ``NoKey`` or ``PayloadError`` for what cannot be opened."""
    try:
        stored = read_definition(text)
    except (ConfigError, msgspec.MsgspecError):
        return text
    if not is_encrypted(stored.payload) and not clear:
        return text
    opened = opened_definition(encryption, name, stored)
    for part in (opened.payload, opened.meta):
        if part is not None:
            refuse_unopened(part)
    return write_definition(encrypted_definition(encryption, name, opened))
