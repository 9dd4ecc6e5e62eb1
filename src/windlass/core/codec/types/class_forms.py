"""Classes whose instances can be stored, and how each is taken apart and rebuilt."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from windlass.core.codec.tags import Members
from windlass.core.codec.types.dataclass_like import attrs_shape, dataclass_shape, struct_shape
from windlass.core.codec.types.enums import enum_shape
from windlass.core.codec.types.pydantic_models import model_shape


class Shape(Protocol):
    """How instances of one class are stored."""

    @property
    def tag(self) -> str: ...

    def field_names(self) -> Iterable[str]:
        """The fields whose annotations say which other classes an instance may hold."""

    def members(self, value: object) -> Members:
        """The parts to store beside tag and class; they may hold any storable value."""

    def build(self, members: Members) -> object:
        """An instance from its parts. May raise anything, for it runs the class's own code."""


_MAKERS: tuple[Callable[[type], Shape | None], ...] = (
    enum_shape,
    struct_shape,
    model_shape,
    attrs_shape,
    dataclass_shape,
)


def shape_of(cls: type) -> Shape | None:
    """The shape of ``cls``, or None if its instances cannot be stored and rebuilt exactly."""
    for make in _MAKERS:
        if shape := make(cls):
            return shape
    return None
