"""What a store holds of a job, for people: secrets masked, encrypted texts as such."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from windlass.core.codec import unseal
from windlass.core.encryption.text import is_encrypted, key_id_of
from windlass.errors import PayloadError
from windlass.insight.payload import encrypted_form
from windlass.insight.redact import MASK, redacted, redacted_arguments, redacted_text
from windlass.store.operations.diagnostics.raw_job import RawRecord

_TEXTS = frozenset({"payload", "meta", "result", "errors", "progress", "attempts", "tags", "retry"})
"""What is JSON; most of it users wrote."""


def shown_record(record: RawRecord, parameters: Sequence[str] = ()) -> dict[str, object]:
    """The table or key, and its fields; ``parameters`` are the task's parameter names, if they are known."""
    fields = {str(name): _shown(str(name), value, parameters) for name, value in record.fields.items()}
    return {"place": redacted_text(record.place), "fields": fields}


def _shown(name: str, value: object, parameters: Sequence[str]) -> object:
    if name == "claim" and value is not None:
        return MASK  # the token of a claim: who has it may ask for the same jobs again
    if name == "lease" and isinstance(value, str) and ":" in value:
        return f"{MASK}:{value.partition(':')[2]}"  # that of a manual claim begins with its token
    if isinstance(value, str):
        return _text(value, name, parameters) if name in _TEXTS else redacted_text(value)
    return _masked(redacted(value))


def _text(text: str, name: str, parameters: Sequence[str]) -> object:
    """The value of a stored text. A damaged one is not shown: its secrets cannot be masked."""
    if not text:
        return text  # Redis keeps the text under a key of its own
    if is_encrypted(text):
        return encrypted_form(key_id_of(text))
    try:
        value: Any = json.loads(unseal(text))
    except (PayloadError, ValueError, RecursionError):
        return {"unreadable": len(text)}
    if name == "payload" and isinstance(value, dict) and isinstance(value.get("args"), list):
        value["args"] = redacted_arguments(value["args"], parameters)
    return _masked(redacted(value))


def _masked(value: object) -> object:
    """The value, with all secrets masked that are recognised by their form, in any text of it."""
    match value:
        case str():
            return redacted_text(value)
        case dict():
            return {name: _masked(member) for name, member in value.items()}
        case list():
            return [_masked(member) for member in value]
        case _:
            return value
