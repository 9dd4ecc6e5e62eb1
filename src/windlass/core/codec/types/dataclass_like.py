"""Dataclasses, attrs classes and msgspec structs: their fields by name."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import NamedTuple, Protocol

import msgspec

from windlass.core.codec.rejection import Rejection
from windlass.core.codec.tags import VALUE, Members, fields_in, require_only
from windlass.core.codec.types.parameters import parameters_of

# Such a record has contents beside its fields, and they would be lost.
_CONTAINERS = (str, bytes, int, float, list, tuple, dict, set, frozenset)


class Field(NamedTuple):
    name: str
    keyword: str | None
    """Its keyword in ``__init__``; None if it has none."""


@dataclasses.dataclass(frozen=True, slots=True)
class RecordShape:
    """A record is rebuilt by its own ``__init__``; every stored field is then put back as it was.

    So ``__post_init__`` and converters run, but cannot change a second time what they changed before. A field that
    is not stored, being newer than the call, gets its default.
    """

    tag: str
    cls: type
    fields: tuple[Field, ...]
    put: Callable[[object, str, object], None]

    def field_names(self) -> Iterable[str]:
        return (field.name for field in self.fields)

    def members(self, value: object) -> Members:
        return {VALUE: {field.name: getattr(value, field.name) for field in self.fields}}

    def build(self, members: Members) -> object:
        require_only(members)
        stored = fields_in(members)
        if unknown := stored.keys() - {field.name for field in self.fields}:
            raise Rejection(f"{self.cls.__qualname__} has no field {min(unknown)!r}")
        given = [field for field in self.fields if field.name in stored]
        record: object = self.cls(**{field.keyword: stored[field.name] for field in given if field.keyword})
        for name, _ in given:
            if getattr(record, name, self) is not stored[name]:
                self.put(record, name, stored[name])
        return record


def dataclass_shape(cls: type) -> RecordShape | None:
    # Inherited fields do not count: a subclass that is no dataclass itself may hold more than they say.
    if "__dataclass_fields__" not in vars(cls) or not dataclasses.is_dataclass(cls):
        return None
    fields = [Field(field.name, field.name if field.init else None) for field in dataclasses.fields(cls)]
    return _shape("dataclass", cls, fields, put=object.__setattr__)


def struct_shape(cls: type) -> RecordShape | None:
    if not issubclass(cls, msgspec.Struct):
        return None
    fields = [Field(name, name) for name in cls.__struct_fields__]
    return _shape("struct", cls, fields, put=_put_in_struct)


class _Attribute(Protocol):
    name: str
    init: bool
    alias: str


def attrs_shape(cls: type) -> RecordShape | None:
    """Recognised by what the decorator leaves in the class, so that attrs is never imported here."""
    attributes: Iterable[_Attribute] | None = vars(cls).get("__attrs_attrs__")
    if attributes is None:
        return None
    fields = [Field(attribute.name, attribute.alias if attribute.init else None) for attribute in attributes]
    return _shape("attrs", cls, fields, put=object.__setattr__)


def _put_in_struct(record: object, name: str, value: object) -> None:
    if isinstance(record, msgspec.Struct):
        msgspec.structs.force_setattr(record, name, value)


def _shape(
    tag: str, cls: type, fields: Iterable[Field], *, put: Callable[[object, str, object], None]
) -> RecordShape | None:
    shape = RecordShape(tag, cls, tuple(fields), put)
    return shape if not issubclass(cls, _CONTAINERS) and _is_buildable(shape) else None


def _is_buildable(shape: RecordShape) -> bool:
    """Whether ``__init__`` takes the fields and needs nothing else: checked at the call, not first in the worker."""
    try:
        parameters_of(shape.cls).bind(**{field.keyword: None for field in shape.fields if field.keyword})
    except (TypeError, ValueError):
        return False
    return True
