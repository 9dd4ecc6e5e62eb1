"""Which classes a call may use, and the labels they are stored under."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from msgspec import Struct

from windlass.core.codec.types.class_forms import Shape, shape_of
from windlass.errors import ConfigError


class Known(NamedTuple):
    label: str
    shape: Shape


class Scope(Struct, frozen=True):
    """The classes one call may use. A label is looked up here and nowhere else; it is never imported."""

    known: Mapping[type, Known]
    shapes: Mapping[str, Shape]
    """By every name that means one class only, so that a label stays readable when other classes are added."""


def scope_of(*, near: Iterable[type], far: Iterable[type]) -> Scope:
    """A scope of the storable classes among ``near`` (a task's own) and ``far`` (the app's).

    The label of a class is its short name, or where that is taken its ``__qualname__``, or else ``module:qualname``.
    Near classes take their names first, so that a registered class cannot change how a task's own are read.
    """
    first = _shapes(near)
    second = {cls: shape for cls, shape in _shapes(far).items() if cls not in first}
    by_name = _by_name(second) | _by_name(first)
    known = {
        cls: Known(label, shape)
        for cls, shape in (first | second).items()
        if (label := _label(cls, shape, by_name)) is not None
    }
    return Scope(known, by_name)


def require_storable(candidates: object) -> tuple[type, ...]:
    """The candidates, without repetition; ConfigError for one that is no storable class, or cannot get a label."""
    if not isinstance(candidates, Iterable) or isinstance(candidates, type):  # an Enum is a class and iterable
        raise ConfigError(f"types takes a list of classes, as in [Address]; got {candidates!r}")
    classes = tuple(dict.fromkeys(_require_storable(candidate) for candidate in candidates))
    if nameless := set(classes) - scope_of(near=(), far=classes).known.keys():
        raise ConfigError(f"types: two classes are both called {_names(nameless.pop())[-1]!r}; rename one")
    return classes


def _require_storable(candidate: object) -> type:
    if not isinstance(candidate, type):
        raise ConfigError(f"types: {candidate!r} is not a class")
    if shape_of(candidate) is None:
        raise ConfigError(
            f"types: {candidate.__qualname__} cannot be stored; it must be an Enum, a Pydantic model, or a dataclass, "
            f"attrs class or msgspec.Struct whose __init__ takes its fields and needs nothing else"
        )
    return candidate


def _shapes(classes: Iterable[type]) -> dict[type, Shape]:
    return {cls: shape for cls in classes if (shape := shape_of(cls)) is not None}


def _by_name(shapes: Mapping[type, Shape]) -> dict[str, Shape]:
    uses = Counter(name for cls in shapes for name in dict.fromkeys(_names(cls)))
    return {name: shape for cls, shape in shapes.items() for name in _names(cls) if uses[name] == 1}


def _label(cls: type, shape: Shape, by_name: Mapping[str, Shape]) -> str | None:
    return next((name for name in _names(cls) if by_name.get(name) is shape), None)


def _names(cls: type) -> tuple[str, str, str]:
    return cls.__name__, cls.__qualname__, f"{cls.__module__}:{cls.__qualname__}"
