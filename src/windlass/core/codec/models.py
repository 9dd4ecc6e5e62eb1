"""Pydantic models, for programs that use Pydantic; it is never imported here."""

from __future__ import annotations

import inspect
import sys
from dataclasses import dataclass
from typing import ClassVar, Protocol, Self, cast

from windlass.core.codec.refusal import Refusal
from windlass.core.codec.tags import VALUE, Members, fields_in, require_only

_UNSET = "unset"


class _Model(Protocol):
    """What we use of ``pydantic.BaseModel``."""

    model_fields: ClassVar[dict[str, object]]
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
    if validate is None or "by_name" not in inspect.signature(validate).parameters:
        return None
    return ModelShape(cast("type[_Model]", cls))


@dataclass(frozen=True, slots=True)
class ModelShape:
    """A model is rebuilt by validation of the fields that were set.

    Fields left at their default are stored apart and put back unvalidated, for Pydantic does not validate defaults
    either; ``model_fields_set`` is kept. Private attributes are not stored.
    """

    tag: ClassVar[str] = "model"
    cls: type[_Model]

    def members(self, value: object) -> Members:
        model = cast("_Model", value)
        values = {name: getattr(model, name) for name in self.cls.model_fields}
        unset = {name: values.pop(name) for name in values.keys() - model.model_fields_set}
        given = {VALUE: values | (model.model_extra or {})}
        return given | {_UNSET: dict(sorted(unset.items()))} if unset else given

    def build(self, members: Members) -> object:
        require_only(members, _UNSET)
        given = fields_in(members)
        unset = fields_in(members, _UNSET) if _UNSET in members else {}
        if unknown := unset.keys() - self.cls.model_fields.keys():
            raise Refusal(f"the model has no field {min(unknown)!r}")
        model = self.cls.model_validate(self._input(given), by_alias=False, by_name=True)
        vars(model).update(unset)
        return model

    def _input(self, given: dict[str, object]) -> object:
        return given["root"] if self.cls.__pydantic_root_model__ and "root" in given else given
