"""The expressions of rules: read from a text, and compared with what was measured. Nothing of them is run as code.

``error_rate > 5% and (queue_depth > 1000 or oldest_age > 10m)``, ``run_p99 > 2 * run_p99_baseline``.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from msgspec import Struct

from windlass.core.alerts.measures import MEASURES
from windlass.errors import ConfigError

LONGEST = 500
"""Characters."""
_DEEPEST = 20
"""How many parentheses may be open at once."""

_UNITS = {
    "": 1.0,
    "%": 0.01,
    "ms": 0.001,
    "s": 1.0,
    "m": 60.0,
    "h": 3600.0,
    "d": 86_400.0,
    "kb": 1e3,
    "mb": 1e6,
    "gb": 1e9,
    "tb": 1e12,
}
_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?)(?P<unit>%|[A-Za-z]+)?|(?P<word>[A-Za-z_]\w*)|(?P<sign><=|>=|==|!=|[<>()*]))"
)
_WORDS = "known are " + ", ".join(MEASURES)
_COMPARISONS = (">", ">=", "<", "<=", "==", "!=")


class Reading(Struct, frozen=True):
    """What a measure was in a window: a count is one number, a level all between its least and its most."""

    least: float
    most: float
    newest: float

    @classmethod
    def of(cls, value: float) -> Reading:
        return cls(value, value, value)

    def times(self, factor: float) -> Reading:
        return Reading(self.least * factor, self.most * factor, self.newest * factor)


Read = Callable[[str], Reading | None]
"""Gives the reading of a measure; None where nothing is known."""

Truth = bool | None
"""Whether something holds; None where that is not known."""


class Term(Struct, frozen=True):
    """A number, or a measure times a number."""

    factor: float
    measure: str | None = None

    def read(self, read: Read) -> Reading | None:
        if self.measure is None:
            return Reading.of(self.factor)
        found = read(self.measure)
        return None if found is None else found.times(self.factor)


class Comparison(Struct, frozen=True):
    """Two terms; it holds if it did for everything that was read in the window."""

    left: Term
    sign: str
    right: Term

    def holds(self, read: Read) -> Truth:
        left, right = self.left.read(read), self.right.read(read)
        return None if left is None or right is None else _compared(left, self.sign, right)

    def measures(self) -> Iterator[str]:
        for term in (self.left, self.right):
            if term.measure is not None:
                yield term.measure


class Joined(Struct, frozen=True):
    """Several conditions, joined by ``and`` or by ``or``."""

    is_and: bool
    parts: tuple[Condition, ...]

    def holds(self, read: Read) -> Truth:
        found = [part.holds(read) for part in self.parts]
        decisive = not self.is_and
        if decisive in found:
            return decisive
        return None if None in found else self.is_and

    def measures(self) -> Iterator[str]:
        for part in self.parts:
            yield from part.measures()


Condition = Comparison | Joined


def parse(text: object) -> Condition:
    """Read an expression; ``ConfigError`` that names the position and what is known there.

    >>> condition = parse("error_rate > 5% and queue_depth > 1000")
    >>> readings = {"error_rate": Reading.of(0.06), "queue_depth": Reading(900, 1200, 1200)}
    >>> condition.holds(readings.get)
    False
    >>> parse("eror_rate > 5%")
    Traceback (most recent call last):
    windlass.errors.ConfigError: expression: position 1: 'eror_rate' is not known; did you mean 'error_rate'?
    """
    if not isinstance(text, str) or not text.strip():
        raise ConfigError("expression: it is empty; write a condition such as queue_depth > 1000")
    if len(text) > LONGEST:
        raise ConfigError(f"expression: it has {len(text):,} characters, and may have {LONGEST}")
    return _Parser(text).whole()


def measures_of(condition: Condition) -> list[str]:
    """The measures that it names, each once, in their order."""
    return list(dict.fromkeys(condition.measures()))


def _compared(left: Reading, sign: str, right: Reading) -> bool:
    match sign:
        case ">":
            return left.least > right.most
        case ">=":
            return left.least >= right.most
        case "<":
            return left.most < right.least
        case "<=":
            return left.most <= right.least
        case "==":
            return left.least == left.most == right.least == right.most
        case _:
            return left.most < right.least or left.least > right.most


class _Token(NamedTuple):
    kind: str
    """``number``, ``word``, ``sign`` or ``end``."""
    text: str
    at: int
    value: float = 0.0


class _Parser:
    """One pass over the tokens, a method for each rule of the grammar."""

    def __init__(self, text: str) -> None:
        self._tokens = list(_tokens(text))
        self._next = 0
        self._depth = 0

    def whole(self) -> Condition:
        found = self._either()
        if self._peek().kind != "end":
            raise _error(self._peek(), "expected `and`, `or` or the end")
        return found

    def _either(self) -> Condition:
        return self._joined("or", self._both)

    def _both(self) -> Condition:
        return self._joined("and", self._one)

    def _joined(self, word: str, part: Callable[[], Condition]) -> Condition:
        parts = [part()]
        while self._takes(word):
            parts.append(part())
        return parts[0] if len(parts) == 1 else Joined(word == "and", tuple(parts))

    def _one(self) -> Condition:
        token = self._peek()
        if not self._takes("("):
            return self._comparison()
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _error(token, f"more than {_DEEPEST} parentheses are open")
        found = self._either()
        if not self._takes(")"):
            raise _error(self._peek(), "expected ')'")
        self._depth -= 1
        return found

    def _comparison(self) -> Comparison:
        begin, left = self._peek(), self._term()
        sign = self._peek()
        if sign.text not in _COMPARISONS:
            raise _error(sign, f"expected a comparison, one of {' '.join(_COMPARISONS)}")
        self._next += 1
        right = self._term()
        if left.measure is None and right.measure is None:
            raise _error(begin, "it compares two numbers; one side has to be a measure")
        return Comparison(left, sign.text, right)

    def _term(self) -> Term:
        token = self._take()
        if token.kind == "word":
            measure = _known(token)
            return Term(self._number() if self._takes("*") else 1.0, measure)
        if token.kind == "number":
            return Term(token.value, _known(self._take()) if self._takes("*") else None)
        raise _error(token, "expected a number or a measure", hint=_WORDS)

    def _number(self) -> float:
        token = self._take()
        if token.kind != "number":
            raise _error(token, "expected a number")
        return token.value

    def _peek(self) -> _Token:
        return self._tokens[self._next]

    def _take(self) -> _Token:
        token = self._peek()
        self._next += token.kind != "end"
        return token

    def _takes(self, text: str) -> bool:
        if self._peek().text.lower() != text:
            return False
        self._next += 1
        return True


def _tokens(text: str) -> Iterator[_Token]:
    at = 0
    while text[at:].strip():
        found = _TOKEN.match(text, at)
        if found is None:
            begin = at + len(text[at:]) - len(text[at:].lstrip())
            raise _error(_Token("sign", text[begin], begin), "expected a measure, a number or a comparison")
        kind = found.lastgroup if found.lastgroup != "unit" else "number"
        assert kind is not None
        token = _Token(kind, found[0].strip(), found.start(kind))
        yield token if kind != "number" else token._replace(value=_value(token, found))
        at = found.end()
    yield _Token("end", "", len(text.rstrip()))


def _value(token: _Token, found: re.Match[str]) -> float:
    unit = (found["unit"] or "").lower()
    if unit not in _UNITS:
        raise _error(token, "expected a number with a unit", hint="known are " + ", ".join(filter(None, _UNITS)))
    return float(found["number"]) * _UNITS[unit]


def _known(token: _Token) -> str:
    if token.kind != "word":
        raise _error(token, "expected a measure", hint=_WORDS)
    if token.text not in MEASURES:
        close = difflib.get_close_matches(token.text, MEASURES, n=1)
        hint = f"did you mean {close[0]!r}?" if close else _WORDS
        raise ConfigError(f"expression: position {token.at + 1}: {token.text!r} is not known; {hint}")
    return token.text


def _error(token: _Token, expected: str, *, hint: str = "") -> ConfigError:
    got = f", got {token.text!r}" if token.text else ", and it ends there"
    return ConfigError(f"expression: position {token.at + 1}: {expected}{got}{hint and '; '}{hint}")
