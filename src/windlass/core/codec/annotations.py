"""The classes that annotations name."""

from __future__ import annotations

import enum
import inspect
import sys
import types
import typing
from collections.abc import Iterator, Mapping
from contextlib import suppress

from windlass.core.codec.types.class_forms import shape_of

if sys.version_info >= (3, 14):
    import annotationlib


def hints_of(owner: object) -> dict[str, object]:
    """The annotations of a function or a class, without those that cannot be resolved."""
    try:
        return typing.get_type_hints(owner)
    except Exception:
        # Annotations are user code, and one bad name fails them all.
        return dict(_resolvable(owner))


def classes_in(annotation: object) -> frozenset[type]:
    """Every storable class in ``annotation``, also inside its generics, aliases and the fields of its classes."""
    found: set[type] = set()
    waiting = [annotation]
    seen: list[object] = []
    while waiting:
        part = waiting.pop()
        if any(part is other for other in seen):
            continue
        seen.append(part)
        if isinstance(part, type) and (shape := shape_of(part)):
            found.add(part)
            hints = hints_of(part)
            waiting.extend(hints.get(name) for name in shape.field_names())
        waiting.extend(_parts(part))
    return frozenset(found)


def _parts(annotation: object) -> Iterator[object]:
    origin = typing.get_origin(annotation)
    if origin is typing.Literal:
        yield from (type(value) for value in typing.get_args(annotation) if isinstance(value, enum.Enum))
        return
    if origin is not None:
        yield origin
        yield from typing.get_args(annotation)
    if isinstance(annotation, typing.NewType):
        yield annotation.__supertype__
    if isinstance(annotation, typing.TypeVar):
        yield annotation.__bound__
        yield from annotation.__constraints__
    if isinstance(annotation, list):  # the parameters of a Callable
        yield from annotation
    yield from _aliased(annotation)


def _aliased(annotation: object) -> Iterator[object]:
    """The value of a ``type X = ...``: evaluated only here, so it may fail like any annotation."""
    if type(annotation).__name__ != "TypeAliasType":
        return
    with suppress(Exception):
        yield getattr(annotation, "__value__", None)


def _resolvable(owner: object) -> Iterator[tuple[str, object]]:
    for part in reversed(owner.__mro__) if isinstance(owner, type) else (owner,):
        scope = _globals(part)
        for name, annotation in _unresolved(part).items():
            holder = types.SimpleNamespace(__annotations__={name: annotation})
            with suppress(Exception):
                yield from typing.get_type_hints(holder, globalns=scope).items()


def _globals(owner: object) -> dict[str, object]:
    module = sys.modules.get(owner.__module__) if isinstance(owner, type) else None
    return dict(vars(module)) if module else dict(getattr(owner, "__globals__", {}))


def _unresolved(owner: object) -> Mapping[str, object]:
    if not callable(owner):
        return {}
    if sys.version_info >= (3, 14):
        return annotationlib.get_annotations(owner, format=annotationlib.Format.FORWARDREF)
    return inspect.get_annotations(owner)
