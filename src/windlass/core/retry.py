"""When a failed attempt runs again, and which errors are final."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from typing import Literal

import msgspec
from msgspec import Struct

from windlass.core.units import duration
from windlass.core.validate import of_kind
from windlass.errors import ConfigError, Duration

Backoff = Literal["exponential", "linear", "fixed"]

PROGRAMMING_ERRORS: tuple[type[Exception], ...] = (
    TypeError,
    ValueError,
    AttributeError,
    KeyError,
    ImportError,
    SyntaxError,
    AssertionError,
)
"""Errors that running again will not mend: ``@app.task(give_up_on=PROGRAMMING_ERRORS)``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """How often an attempt is repeated and how long to wait in between.

    ``attempts`` counts runs, so 1 means never again. The delay before run *n + 1* is ``base * factor ** (n - 1)``
    (exponential), ``base * n`` (linear), ``base`` (fixed) or ``custom(n)`` in seconds; then jitter, floor and cap.

    >>> Retry(base=2, jitter=0).delay(3, roll=0.5)
    8.0
    """

    attempts: int = 4
    base: Duration = 1
    factor: float = 2.0
    floor: Duration = 0.1
    cap: Duration = 300
    jitter: float = 0.1
    backoff: Backoff = "exponential"
    custom: Callable[[int], float] | None = None

    def __post_init__(self) -> None:
        if type(self.attempts) is not int or not 1 <= self.attempts <= 32_767:
            raise ConfigError(f"Retry: attempts must be a whole number from 1 to 32767, got {self.attempts!r}")
        if not _is_number(self.jitter) or not 0 <= self.jitter <= 1:
            raise ConfigError(f"Retry: jitter must lie between 0 and 1, got {self.jitter!r}")
        if not _is_number(self.factor) or not 1 <= self.factor < inf:
            raise ConfigError(f"Retry: factor must be a number from 1 on, got {self.factor!r}")
        if self.backoff not in ("exponential", "linear", "fixed"):
            raise ConfigError(f"Retry: backoff must be exponential, linear or fixed, got {self.backoff!r}")
        if self.custom is not None and not callable(self.custom):
            raise ConfigError(f"Retry: custom must be a function from an attempt to seconds, got {self.custom!r}")
        for name in ("base", "floor", "cap"):
            # Kept as plain seconds, so that equal rules compare and store the same however they were written.
            object.__setattr__(self, name, duration(getattr(self, name), f"Retry: {name}").total_seconds())
        if self.floor > self.cap:  # type: ignore[operator]  # both are seconds by now
            raise ConfigError(f"Retry: floor {self.floor!r} is above cap {self.cap!r}")

    def delay(self, attempt: int, *, roll: float) -> float:
        """Seconds to wait after run number ``attempt``; ``roll`` in [0, 1) is where in the jitter to land."""
        spread = 1 + self.jitter * (2 * roll - 1)
        # In this order: a delay that is no number at all, from a custom function, becomes the floor.
        return min(max(float(self.floor), self._bare_delay(attempt) * spread), float(self.cap))  # type: ignore[arg-type]

    def _bare_delay(self, attempt: int) -> float:
        base = float(self.base)  # type: ignore[arg-type]  # seconds since __post_init__
        if self.custom is not None:
            return float(self.custom(attempt))
        if self.backoff == "fixed":
            return base
        if self.backoff == "linear":
            return base * attempt
        try:
            return base * self.factor ** (attempt - 1)
        except OverflowError:
            return inf if base else 0.0  # the cap will do

    def with_attempts(self, attempts: int) -> Retry:
        """The same rule with another budget."""
        return replace(self, attempts=attempts)


def retry_rule(setting: object) -> Retry:
    """The rule of a ``retry=``; ``False`` means one attempt."""
    if setting is False:
        return Retry(attempts=1)
    return of_kind(setting, Retry, "retry", example="Retry(attempts=3)")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


class _StoredRetry(Struct, frozen=True):
    attempts: int
    base: float
    factor: float
    floor: float
    cap: float
    jitter: float
    backoff: Literal["exponential", "linear", "fixed"]


_DECODER = msgspec.json.Decoder(_StoredRetry, strict=False)


def write_retry(retry: Retry) -> str:
    """A rule as JSON; one with a function of its own cannot be written."""
    if retry.custom is not None:
        raise ConfigError("retry: a custom function cannot be stored; set it on the task")
    return msgspec.json.encode(msgspec.convert(retry, _StoredRetry, from_attributes=True)).decode()


def read_retry(text: str | None) -> Retry | None:
    """The rule, or None where there is none or it cannot be read."""
    if text is None:
        return None
    try:
        return Retry(**msgspec.structs.asdict(_DECODER.decode(text)))
    except (msgspec.MsgspecError, ValueError, ConfigError):
        return None
