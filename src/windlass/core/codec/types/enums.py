"""Enum members by name, flags by number."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum, Flag
from typing import ClassVar, cast

from msgspec import Struct

from windlass.core.codec.rejection import Rejection
from windlass.core.codec.tags import VALUE, Members, require_only, text_in


def enum_shape(cls: type) -> EnumShape | FlagShape | None:
    if issubclass(cls, Flag):
        return FlagShape(cls)
    if issubclass(cls, Enum):
        return EnumShape(cls)
    return None


class EnumShape(Struct, frozen=True):
    """A member is stored by its name: its value may be anything, and need not be storable."""

    tag: ClassVar[str] = "enum"
    cls: type[Enum]

    def field_names(self) -> Iterable[str]:
        return ()

    def members(self, value: object) -> Members:
        return {VALUE: cast("Enum", value)._name_}

    def build(self, members: Members) -> object:
        require_only(members)
        return self.cls[text_in(members)]


class FlagShape(Struct, frozen=True):
    """Flags are stored as a number: a combination has no name of its own."""

    tag: ClassVar[str] = "enum"
    cls: type[Flag]

    def field_names(self) -> Iterable[str]:
        return ()

    def members(self, value: object) -> Members:
        return {VALUE: cast("Flag", value)._value_}

    def build(self, members: Members) -> object:
        require_only(members)
        number = members[VALUE]
        if type(number) is not int:
            raise Rejection("flags are stored as a number")
        flags = self.cls(number)
        # A boundary of EJECT turns unknown bits into a plain int.
        if type(flags) is not self.cls:
            raise Rejection(f"{number} is no combination of the flags")
        return flags
