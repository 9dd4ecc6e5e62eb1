"""Pydantic models; Pydantic itself is never imported here."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import ClassVar, Protocol, Self, cast

from msgspec import Struct

from windlass.core.codec.rejection import Rejection
from windlass.core.codec.tags import VALUE, Members, fields_in, require_only
from windlass.core.codec.types.parameters import parameters_of

_UNSET = "unset"


class _Field(Protocol):
    default: object


class _Model(Protocol):
    """What we use of ``pydantic.BaseModel``."""

    model_fields: ClassVar[dict[str, _Field]]
    model_extra: dict[str, object] | None
    model_fields_set: set[str]
    __pydantic_root_model__: ClassVar[bool]

    @classmethod
    def model_validate(cls, obj: object, *, by_alias: bool, by_name: bool) -> Self: ...


def model_shape(cls: type) -> ModelShape | None:
    """Needs Pydantic 2.11, the first that validates by field name whatever the aliases are."""
    base = getattr(sys.modules.get("pydantic"), "BaseModel", None)
    if base is None or not issubclass(cls, base):
        return None
    validate = getattr(cls, "model_validate", None)
    if validate is None or "by_name" not in parameters_of(validate).parameters:
        return None
    return ModelShape(cast("type[_Model]", cls))


class ModelShape(Struct, frozen=True):
    """A model is rebuilt by validation, so that what was stored cannot make an invalid one.

    Fields that were never set are stored apart, and ``model_fields_set`` is kept. Of these, one that has the default
    of its class is left to it: Pydantic does not validate defaults, and they may be invalid. Private attributes are
    not stored.
    """

    tag: ClassVar[str] = "model"
    cls: type[_Model]

    def field_names(self) -> Iterable[str]:
        return self.cls.model_fields

    def members(self, value: object) -> Members:
        model = cast("_Model", value)
        # Not by getattr: a deprecated field would warn.
        values = {name: vars(model)[name] for name in self.cls.model_fields}
        unset = {name: values.pop(name) for name in values.keys() - model.model_fields_set}
        given = {VALUE: values | (model.model_extra or {})}
        return given | {_UNSET: dict(sorted(unset.items()))} if unset else given

    def build(self, members: Members) -> object:
        require_only(members, _UNSET)
        given = fields_in(members)
        unset = fields_in(members, _UNSET) if _UNSET in members else {}
        if wrong := unset.keys() - (self.cls.model_fields.keys() - given.keys()):
            raise Rejection(f"{min(wrong)!r} cannot be an unset field of this model")
        model = self.cls.model_validate(self._input(given, unset), by_alias=False, by_name=True)
        model.model_fields_set.difference_update(unset)
        return model

    def _input(self, given: dict[str, object], unset: dict[str, object]) -> object:
        if self.cls.__pydantic_root_model__:
            return (given | unset)["root"]
        fields = self.cls.model_fields
        return given | {name: value for name, value in unset.items() if value != fields[name].default}
