"""Settings of the right kind, or a ``ConfigError`` that says which one, what it got and what it wants."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from windlass.errors import ConfigError

T = TypeVar("T")


def of_kind(value: object, kind: type[T], name: str, *, example: str) -> T:
    """An instance of one of our own classes, where people tend to give what goes into it."""
    if not isinstance(value, kind):
        raise ConfigError(f"{name} must be a {kind.__name__}, as in {example}; got {value!r}")
    return value


def flag(value: object, name: str) -> bool:
    """True or False, and no text: ``"no"`` would count as true."""
    if not isinstance(value, bool):
        raise ConfigError(f"{name} must be True or False, got {value!r}")
    return value


def texts(value: object, name: str, *, example: str) -> tuple[str, ...]:
    """Several texts; one alone is refused, because it would count as a list of its letters."""
    found = tuple(value) if isinstance(value, Iterable) and not isinstance(value, str | bytes) else None
    if found is None or not all(isinstance(text, str) for text in found):
        raise ConfigError(f"{name} takes a list of texts, as in {example}; got {value!r}")
    return found


def exception_classes(value: object, name: str) -> tuple[type[BaseException], ...]:
    """What ``isinstance`` takes to tell errors apart."""
    if not isinstance(value, tuple) or not all(isinstance(e, type) and issubclass(e, BaseException) for e in value):
        raise ConfigError(f"{name} must be a tuple of exception classes, as in (ValueError,); got {value!r}")
    return value
