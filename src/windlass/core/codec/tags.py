"""What is common to all tagged forms: an object with the key ``$``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from windlass.core.codec.refusal import Refusal

TAG = "$"
CLASS = "t"
VALUE = "v"

Members: TypeAlias = Mapping[str, object]
"""A tagged form without its tag and its class."""


def require_only(members: Members, *optional: str) -> None:
    """Refusal unless there is a value and nothing but ``optional`` beside it."""
    if VALUE not in members:
        raise Refusal(f"the tagged form has no {VALUE!r}")
    if unknown := members.keys() - {VALUE, *optional}:
        raise Refusal(f"the tagged form has an unknown member: {min(unknown)!r}")


def text_in(members: Members, name: str = VALUE) -> str:
    """The member as text; Refusal if it is anything else."""
    value = members.get(name)
    if type(value) is not str:
        raise Refusal(f"{name!r} of the tagged form must be text")
    return value


def list_in(members: Members) -> list[object]:
    """The value as a list; Refusal if it is anything else."""
    value = members.get(VALUE)
    if type(value) is not list:
        raise Refusal(f"{VALUE!r} of the tagged form must be a list")
    return value


def fields_in(members: Members, name: str = VALUE) -> dict[str, object]:
    """The member as fields by name; Refusal if it is anything else."""
    value = members.get(name)
    if type(value) is not dict or any(type(key) is not str for key in value):
        raise Refusal(f"{name!r} of the tagged form must be an object")
    return value
