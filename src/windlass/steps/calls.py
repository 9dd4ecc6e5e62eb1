"""One step that is called: its name, its function, the print of its arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, time, timedelta
from decimal import Decimal
from functools import partial
from hashlib import blake2b
from types import CellType, NoneType
from typing import Any
from uuid import UUID
from weakref import WeakKeyDictionary

from msgspec import Struct

from windlass.core import validate
from windlass.core.codec import Codec
from windlass.core.codec.signature import Signature
from windlass.core.retry import Retry
from windlass.errors import ConfigError, PayloadError
from windlass.task import Task


class StepCall(Struct, frozen=True):
    """What a task wants done under a name."""

    name: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    retry: Retry | None

    def __post_init__(self) -> None:
        validate.step_name(self.name)
        if not callable(self.function):
            raise ConfigError(
                f"step {self.name!r}: its second argument must be a function, got {self.function!r}; "
                f"write job.step({self.name!r}, function, argument)"
            )
        if self.retry is not None:
            validate.of_kind(self.retry, Retry, f"step {self.name!r}: retry", example="Retry(attempts=3)")

    @property
    def is_async(self) -> bool:
        """Whether its function is known to be one that has to be awaited."""
        return inspect.iscoroutinefunction(_bare(self.function))

    def __call__(self) -> Any:
        return self.function(*self.args, **self.kwargs)


class Signatures:
    """What the annotations of functions say to the codec; asked once for each function."""

    def __init__(self, codec: Codec) -> None:
        self._codec = codec
        self._known: WeakKeyDictionary[Callable[..., Any], Signature] = WeakKeyDictionary()

    def of(self, function: Callable[..., Any]) -> Signature:
        """The signature of a function."""
        if isinstance(function, Task):
            return function.signature
        bare = _bare(function)
        try:
            known = self._known.get(bare)
            if known is None:
                known = self._known[bare] = self._codec.signature(bare)
        except TypeError:  # an instance that cannot be hashed, or that no weak reference can be made to
            known = self._codec.signature(bare)
        return known

    def print_of(self, call: StepCall) -> bytes | None:
        """A print of function and arguments, equal for equal ones; None where these cannot be compared.

        What a partial was given counts as arguments, and so do the plain values that a lambda has caught: the lambdas
        of a loop have one name and mean something else in each round.
        """
        bare = _bare(call.function)
        try:
            text = self._codec.encode_call(self.of(call.function), call.args, call.kwargs)
            given = self._codec.encode_result(None, [*_filled_in(call.function), *_caught(bare)] or None)
        except PayloadError:
            return None
        named = f"{getattr(bare, '__module__', '')}.{getattr(bare, '__qualname__', '')}\n{text}\n{given}"
        return blake2b(named.encode(), digest_size=16).digest()


_PLAIN = (NoneType, bool, int, float, str, bytes, date, time, timedelta, Decimal, UUID)


def _filled_in(function: Callable[..., Any]) -> Iterator[object]:
    """What partials have been given."""
    while isinstance(function, partial):
        yield [list(function.args), function.keywords]
        function = function.func


def _caught(function: Callable[..., Any]) -> list[object]:
    """The values of outer variables that a function uses, and of its defaults; only those that are cheap to compare."""
    cells = getattr(function, "__closure__", None) or ()
    defaults = getattr(function, "__defaults__", None) or ()
    return [value for value in (*_contents(cells), *defaults) if isinstance(value, _PLAIN)]


def _contents(cells: Iterable[CellType]) -> Iterator[object]:
    for cell in cells:
        try:
            yield cell.cell_contents
        except ValueError:  # a variable that has no value yet
            continue


def _bare(function: Callable[..., Any]) -> Callable[..., Any]:
    """The plain function inside a bound method, a partial or a task."""
    while True:
        if isinstance(function, partial):
            function = function.func
        elif isinstance(function, Task):
            function = function.function
        elif inspect.ismethod(function):
            function = function.__func__
        else:
            return function
