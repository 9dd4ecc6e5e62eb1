"""What the codec learns from the function of a task."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from msgspec import Struct

from windlass.core.codec.annotations import classes_in, hints_of
from windlass.core.codec.class_labels import Scope, scope_of
from windlass.core.codec.types.parameters import parameters_of

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)

Place: TypeAlias = int | str
"""The place of an argument in a call: its position or its keyword."""


class Signature(Struct, frozen=True):
    """The classes that a function's annotations name. Made by ``Codec.signature``, for that codec."""

    positional: tuple[str, ...]
    parameters: Mapping[str, frozenset[type]]
    """Parameter by parameter; one that has no annotation, or none that can be resolved, has no classes."""
    returns: frozenset[type]
    scope: Scope

    def subject(self, place: Place) -> str:
        """The name of the argument at ``place``, for errors."""
        if isinstance(place, str):
            return f"argument {place!r}"
        if place < len(self.positional):
            return f"argument {self.positional[place]!r}"
        return f"positional argument {place + 1}"


def unsigned(registered: Iterable[type]) -> Signature:
    """The signature of an unknown function."""
    return Signature((), MappingProxyType({}), frozenset(), scope_of(near=(), far=registered))


def signature_of(function: Callable[..., object], *, registered: Iterable[type]) -> Signature:
    parameters = _parameters(function)
    hints = hints_of(inspect.unwrap(function))
    classes = {name: classes_in(hints.get(name)) for name in parameters}
    returns = classes_in(hints.get("return"))
    return Signature(
        positional=tuple(name for name, parameter in parameters.items() if parameter.kind in _POSITIONAL),
        parameters=MappingProxyType(classes),
        returns=returns,
        scope=scope_of(near=returns.union(*classes.values()), far=registered),
    )


def _parameters(function: Callable[..., object]) -> Mapping[str, inspect.Parameter]:
    try:
        return parameters_of(function).parameters
    except (TypeError, ValueError):
        # Their arguments are named by number.
        return {}
