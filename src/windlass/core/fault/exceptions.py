"""Reads type and message of an exception; both may be user code that raises."""

from __future__ import annotations

from windlass.core.codec.stored_text.storable import storable

_RELATED = 10
_NAME_BYTES = 256

CAUSE = "It was raised from this:"
CONTEXT = "It was raised while handling this:"
MEMBER = "The group holds this:"


def type_name(exception: BaseException) -> str:
    """The qualified name of its class; built-in ones go without a module."""
    cls = type(exception)
    name = cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"
    return storable(name, _NAME_BYTES)


def message_of(exception: BaseException) -> str:
    try:
        return storable(str(exception))
    except Exception as error:
        # Its own __str__ failed; the attempt must be recorded all the same.
        return f"<no message: __str__ raised {type_name(error)}>"


def line_of(exception: BaseException) -> str:
    message = message_of(exception)
    return f"{type_name(exception)}: {message}" if message else type_name(exception)


def related_to(exception: BaseException) -> list[tuple[str, BaseException]]:
    """How up to 10 others are related to it, nearest first: what it came from, and what a group holds."""
    found: list[tuple[str, BaseException]] = []
    seen = {id(exception)}
    waiting = _next_to(exception)
    while waiting and len(found) < _RELATED:
        relation, other = waiting.pop(0)
        if id(other) not in seen:
            seen.add(id(other))
            found.append((relation, other))
            waiting += _next_to(other)
    return found


def _next_to(exception: BaseException) -> list[tuple[str, BaseException]]:
    near: list[tuple[str, BaseException]] = []
    if isinstance(exception, BaseExceptionGroup):
        near += [(MEMBER, member) for member in exception.exceptions[:_RELATED]]
    if exception.__cause__ is not None:
        near.append((CAUSE, exception.__cause__))
    elif exception.__context__ is not None and not exception.__suppress_context__:
        near.append((CONTEXT, exception.__context__))
    return near
