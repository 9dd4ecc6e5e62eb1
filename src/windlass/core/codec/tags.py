"""What all tagged forms have in common: an object with the key ``$``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from windlass.core.codec.rejection import Rejection

TAG = "$"
CLASS = "t"
VALUE = "v"

Members: TypeAlias = Mapping[str, object]
"""A tagged form without its tag and its class."""


def require_only(members: Members, *optional: str) -> None:
    """Rejection unless there is a value and nothing but ``optional`` beside it."""
    if VALUE not in members:
        raise Rejection(f"the tagged form has no {VALUE!r}")
    if unknown := members.keys() - {VALUE, *optional}:
        raise Rejection(f"the tagged form has an unknown member: {min(unknown)!r}")


def text_in(members: Members, name: str = VALUE) -> str:
    """The member as text; Rejection if it is anything else."""
    value = members.get(name)
    if type(value) is not str:
        raise Rejection(f"{name!r} of the tagged form must be text")
    return value


def list_in(members: Members) -> list[object]:
    """The value as a list; Rejection if it is anything else."""
    value = members.get(VALUE)
    if type(value) is not list:
        raise Rejection(f"{VALUE!r} of the tagged form must be a list")
    return value


def fields_in(members: Members, name: str = VALUE) -> dict[str, object]:
    """The member as fields by name; Rejection if it is anything else."""
    value = members.get(name)
    if type(value) is not dict or any(type(key) is not str for key in value):
        raise Rejection(f"{name!r} of the tagged form must be an object")
    return value
