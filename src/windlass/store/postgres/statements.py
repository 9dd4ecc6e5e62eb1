"""Statement files as psycopg wants them, and what their rows mean.

On PostgreSQL a call is one statement, whose heading names the parts of the answer:

- one ``-- gives NAME``: its rows are that part
- several: it gives one row with a column of JSON for each part, in any order, named like the part
- ``-- gives NAME as json``: the part stays JSON text, for records that are decoded from it in one step
- ``-- guard NAME``: a column that is null unless the guard stops the call; then it is all of the answer
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from msgspec.json import decode
from psycopg import Cursor

from windlass.store.operation import Answer
from windlass.store.statements import load_calls

_CALLS = "windlass.store.postgres.calls"

_PART = re.compile(r"^-- (gives|guard) (\w+)( as json)?$", re.M)
_COMMENT = re.compile(r"^\s*--.*\n", re.M)
_PARAMETER = re.compile(r":([a-z_]+)\b")


@dataclass(frozen=True, slots=True)
class Part:
    """One part of an answer."""

    name: str
    is_guard: bool
    is_json: bool


@dataclass(frozen=True, slots=True)
class Statement:
    """One call's statement in psycopg's notation."""

    text: bytes
    parts: tuple[Part, ...]

    def answer(self, cursor: Cursor[Any]) -> Answer:
        """Shape what the statement gave."""
        if not self.parts:
            return {}
        if len(self.parts) == 1:
            return {self.parts[0].name: cursor.fetchall()}
        row = cursor.fetchone()
        assert row is not None
        assert cursor.description is not None
        columns = dict(zip((column.name for column in cursor.description), row, strict=True))
        for part in self.parts:
            if part.is_guard and columns[part.name] is not None:
                return {part.name: decode(columns[part.name])}
        return {
            part.name: columns[part.name] if part.is_json else decode(columns[part.name])
            for part in self.parts
            if not part.is_guard
        }


@cache
def statements(schema: str) -> Mapping[str, Statement]:
    """Every call by name, for tables in ``schema`` (checked by the caller)."""
    calls = load_calls(_CALLS, prefix=f'"{schema}".')
    return {name: translate(steps[0].text) for name, steps in calls.items()}


def translate(source: str) -> Statement:
    """Turn ``:name`` into psycopg's ``%(name)s``; comments go, they could be taken for parameters.

    >>> translate("-- gives total\\nSELECT :one % 2").text
    b'SELECT %(one)s %% 2'
    """
    parts = tuple(Part(name, kind == "guard", bool(as_json)) for kind, name, as_json in _PART.findall(source))
    text = _PARAMETER.sub(r"%(\1)s", _COMMENT.sub("", source).replace("%", "%%"))
    return Statement(text.strip().encode(), parts)
