"""Python values to JSON values, with tags where JSON has no such type."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite

from windlass.core.codec.class_labels import Known, Scope
from windlass.core.codec.limits import inside
from windlass.core.codec.rejection import Rejection
from windlass.core.codec.stored_text.jsontext import WORD, require_finite, to_json
from windlass.core.codec.stored_text.storable import require_text
from windlass.core.codec.tags import CLASS, TAG, VALUE
from windlass.core.codec.types.class_forms import shape_of
from windlass.core.codec.types.scalars import SCALAR_OF

_SUBCLASSED = (str, int, float, bytes, list, tuple, dict, set, frozenset)


def encode(value: object, room: int, scope: Scope) -> object:
    """The JSON form of ``value``, which may open ``room`` levels of containers; Rejection if it has none.

    Types are compared exactly: an instance of a subclass would come back as something else.
    """
    kind = type(value)
    if type(value) is str:
        return value if value.isascii() else require_text(value)
    if type(value) is int and -WORD <= value < WORD:
        return value
    if value is None or type(value) is bool:
        return value
    if type(value) is float:
        return value if isfinite(value) else require_finite(value)
    if type(value) is dict:
        return _mapping(value, inside(room), scope)
    if type(value) is list:
        return encode_items(value, inside(room), scope)
    if type(value) is tuple:
        return {TAG: "tuple", VALUE: encode_items(value, inside(room), scope)}
    if type(value) is set or type(value) is frozenset:
        return {TAG: kind.__name__, VALUE: _sorted(value, inside(room), scope)}
    if scalar := SCALAR_OF.get(kind):
        return {TAG: scalar.tag, **scalar.write(value)}
    if known := scope.known.get(kind):
        return _instance(value, known, room, scope)
    raise Rejection(_why_not(kind))


def encode_items(values: Iterable[object], room: int, scope: Scope) -> list[object]:
    done: list[object] = []
    try:
        for value in values:
            done.append(encode(value, room, scope))  # noqa: PERF401 - a rejection needs to know how many are done
    except Rejection as rejection:
        rejection.at_index(len(done))
        raise
    return done


def _mapping(values: dict[object, object], room: int, scope: Scope) -> object:
    # A user's own "$" must never be read as a tag.
    if TAG in values:
        return {TAG: "dict", VALUE: _pairs(values, room, scope)}
    done: dict[str, object] = {}
    key: object = None
    try:
        for key, value in values.items():
            if type(key) is not str:
                break
            done[key if key.isascii() else require_text(key)] = encode(value, room, scope)
        else:
            return done
    except Rejection as rejection:
        rejection.at_key(key)
        raise
    return {TAG: "dict", VALUE: _pairs(values, room, scope)}


def _pairs(values: dict[object, object], room: int, scope: Scope) -> list[object]:
    done: list[object] = []
    for key, value in values.items():
        try:
            done.append([encode(key, room, scope), encode(value, room, scope)])
        except Rejection as rejection:
            rejection.at_key(key)
            raise
    return done


def _sorted(values: Iterable[object], room: int, scope: Scope) -> list[object]:
    """Sets have no order of their own; equal ones must give equal text."""
    try:
        return sorted((encode(value, room, scope) for value in values), key=to_json)
    except Rejection as rejection:
        rejection.in_set()
        raise


def _instance(value: object, known: Known, room: int, scope: Scope) -> dict[str, object]:
    try:
        members = known.shape.members(value)
    except Exception as error:
        # An attribute of a user's class may be a property that fails, or may never have been set.
        raise Rejection(f"{type(value).__qualname__} cannot be read: {type(error).__name__}") from error
    parts = {name: encode(part, room, scope) for name, part in members.items()}
    return {TAG: known.shape.tag, CLASS: known.label, **parts}


def _why_not(kind: type) -> str:
    name = kind.__qualname__
    if shape_of(kind) is not None:
        return (
            f"the class {name} is not known here; annotate the parameter with it "
            f"or register the class with Windlass(types=[...])"
        )
    if base := next((base for base in _SUBCLASSED if issubclass(kind, base)), None):
        return f"{name} is a subclass of {base.__name__} and would not come back as one; pass a plain {base.__name__}"
    return f"{name} cannot be stored; pass plain data or register the class with Windlass(types=[...])"
