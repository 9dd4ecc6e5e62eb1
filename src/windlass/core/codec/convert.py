"""Converts arguments, results and metadata; an error names the argument."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from windlass.core.codec.class_labels import Scope
from windlass.core.codec.envelope import FORMAT, Envelope
from windlass.core.codec.limits import TooDeep
from windlass.core.codec.plain import require_plain
from windlass.core.codec.rejection import Rejection
from windlass.core.codec.signature import Place, Signature
from windlass.core.codec.stored_text.jsontext import WORD
from windlass.core.codec.stored_text.storable import require_text
from windlass.errors import PayloadError

Step: TypeAlias = Callable[[object, int, Scope], object]
"""Either ``encode`` or ``decode``."""


def convert_call(
    step: Step, signature: Signature, args: Sequence[object], kwargs: Mapping[str, object], *, depth: int
) -> Envelope:
    """Each argument through ``step``; PayloadError if that rejects one."""
    positional: list[object] = []
    named: dict[str, object] = {}
    place: Place = 0
    try:
        for place, value in enumerate(args):  # noqa: B007 - the handler needs it
            # Most arguments are numbers, which mean themselves both ways: asked here, they cost no call.
            is_plain = type(value) is int and -WORD <= value < WORD
            positional.append(value if is_plain else step(value, depth, signature.scope))
        for place, value in kwargs.items():
            named[_keyword(place)] = step(value, depth, signature.scope)
    except (Rejection, RecursionError) as problem:
        raise _error(problem, signature.subject(place), depth) from problem.__cause__
    return Envelope(FORMAT, positional, named)


def convert_result(step: Step, signature: Signature, value: object, *, depth: int) -> object:
    """The return value of a task through ``step``."""
    try:
        return step(value, depth, signature.scope)
    except (Rejection, RecursionError) as problem:
        raise _error(problem, "result", depth) from problem.__cause__


def check_meta(meta: object, *, depth: int) -> None:
    """PayloadError unless ``meta`` is plain JSON."""
    try:
        require_plain(meta, depth)
    except (Rejection, RecursionError) as problem:
        raise _error(problem, "meta", depth) from None


def _keyword(name: str) -> str:
    if type(name) is not str:
        raise Rejection("the name of an argument must be plain text")
    return require_text(name)


def _error(problem: Rejection | RecursionError, subject: str, depth: int) -> PayloadError:
    if isinstance(problem, TooDeep):
        problem.name_limit(depth)
    if isinstance(problem, Rejection):
        return problem.error(subject)
    # A depth that is set very high, or a caller deep in a recursion of its own.
    return PayloadError(f"{subject}: nested too deeply for Python's recursion limit")
