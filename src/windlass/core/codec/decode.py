"""JSON values back to Python values."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from windlass.core.codec.class_labels import Scope
from windlass.core.codec.limits import inside
from windlass.core.codec.rejection import Rejection
from windlass.core.codec.tags import CLASS, TAG, Members, list_in, require_only
from windlass.core.codec.types.class_forms import Shape
from windlass.core.codec.types.scalars import SCALAR_TAGGED

_COLLECTIONS: dict[str, Callable[[list[object]], object]] = {"tuple": tuple, "set": set, "frozenset": frozenset}


def needs_decoding(text: str, depth: int) -> bool:
    """Whether the JSON values in ``text`` may hold tags, or may be nested deeper than ``depth``."""
    # A single character is found, or not, far sooner than a text.
    if ("$" in text or "\\" in text) and ('"$"' in text or r"\u0024" in text):
        return True
    # Each level takes two characters, so that most texts are too short to be counted.
    return len(text) > 2 * depth and text.count("[") + text.count("{") > depth


def decode(json: object, room: int, scope: Scope) -> object:
    """The value whose JSON form is ``json``; Rejection if there is none, or more than ``room`` levels."""
    if type(json) is list:
        return decode_items(json, inside(room), scope)
    if type(json) is not dict:
        return json
    if TAG in json:
        return _tagged(json, room, scope)
    return decode_fields(json, inside(room), scope)


def decode_items(json: Iterable[object], room: int, scope: Scope) -> list[object]:
    done: list[object] = []
    try:
        for value in json:
            done.append(decode(value, room, scope))  # noqa: PERF401 - a rejection needs to know how many are done
    except Rejection as rejection:
        rejection.at_index(len(done))
        raise
    return done


def decode_fields(json: Members, room: int, scope: Scope) -> dict[str, object]:
    done: dict[str, object] = {}
    for key, value in json.items():
        try:
            done[key] = decode(value, room, scope)
        except Rejection as rejection:
            rejection.at_key(key)
            raise
    return done


def _tagged(json: dict[str, object], room: int, scope: Scope) -> object:
    tag = json[TAG]
    members = {name: value for name, value in json.items() if name not in (TAG, CLASS)}
    if type(tag) is not str:
        raise Rejection("the tag must be text")
    try:
        if CLASS in json:
            return _instance(_shape(tag, json[CLASS], scope), members, room, scope)
        if scalar := SCALAR_TAGGED.get(tag):
            return scalar.read(members)
        if tag in _COLLECTIONS:
            return _collection(tag, members, room, scope)
        if tag == "dict":
            return _mapping(members, room, scope)
    except Rejection:
        raise
    except Exception as error:
        # Constructors, validators and __hash__ are user code.
        raise Rejection(f"cannot be rebuilt as {tag}: {type(error).__name__}") from error
    raise Rejection(f"the tag {tag[:40]!r} is unknown")


def _collection(tag: str, members: Members, room: int, scope: Scope) -> object:
    require_only(members)
    return _COLLECTIONS[tag](decode_items(list_in(members), inside(room), scope))


def _mapping(members: Members, room: int, scope: Scope) -> dict[object, object]:
    require_only(members)
    inner = inside(room)
    done: dict[object, object] = {}
    for pair in list_in(members):
        match pair:
            case [key, value]:
                done[decode(key, inner, scope)] = decode(value, inner, scope)
            case _:
                raise Rejection("a dict is a list of pairs")
    if len(done) < len(list_in(members)):
        raise Rejection("a dict repeats a key")
    return done


def _shape(tag: str, label: object, scope: Scope) -> Shape:
    shape = scope.shapes.get(label) if type(label) is str else None
    if shape is None or shape.tag != tag:
        raise Rejection(
            f"no {tag[:40]} class is known as {str(label)[:80]!r}; "
            f"annotate the parameter with it or register it with Windlass(types=[...])"
        )
    return shape


def _instance(shape: Shape, members: Members, room: int, scope: Scope) -> object:
    return shape.build({name: decode(part, room, scope) for name, part in members.items()})
