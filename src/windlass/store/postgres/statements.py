"""Statement files for PostgreSQL, and the meaning of their rows.

Parameters travel without a type and the server takes it from where they stand, so that one prepared statement serves
null as well as numbers of any size; where the place does not say it, the statement casts.

On PostgreSQL a call is one statement, whose heading names the parts of the answer:

- one ``-- gives NAME``: its rows are that part
- several: it gives one row with a column of JSON for each part, in any order, named like the part
- ``-- gives NAME as json``: the part stays JSON text, for records that are decoded from it in one step
- ``-- guard NAME``: a column that is null unless the guard stops the call; then it is all of the answer

A call whose file has several statements is one of them, the first that suits it:

- ``-- only with NAME``: left out when the list NAME is empty
- ``-- only without NAME, NAME``: left out when one of these lists is not

``-- here notify`` makes two forms of a statement: one that also notifies of the jobs that it stores, in one more
column, for a call with news, and one that does not. ``-- here NAME with LIST`` makes one more, for calls whose list
LIST is not empty: only that form has the shared text NAME, and it does not notify; with several such lists, one more
for each choice of them. So a rare part costs the other calls nothing.

A shared text is whole: parts of a WITH, a query, a condition or a column.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Any, Protocol

from msgspec import Struct
from msgspec.json import decode

from windlass.store.on_demand import OnDemand
from windlass.store.operation import Answer
from windlass.store.statement_files import load_calls, shared_text
from windlass.store.templates import fill, split

_PACKAGE = "windlass.store.postgres"

_PART = re.compile(r"^-- (gives|guard) (\w+)( as json)?$", re.M)
_ONLY_WITH = re.compile(r"^-- only with ([\w, ]+)$", re.M)
_ONLY_WITHOUT = re.compile(r"^-- only without ([\w, ]+)$", re.M)
_NOTIFY = "notify"
_HERE_NOTIFY = f"-- here {_NOTIFY}\n"
_HERE_WITH = re.compile(r"^ *-- here (\w+) with (\w+)\n", re.M)
_COMMENT = re.compile(r"^\s*--.*\n", re.M)
_PARAMETER = re.compile(r"(?<!:):([a-z_]+)\b")


class Named(Protocol):
    @property
    def name(self) -> str: ...


class RawResult(Protocol):
    """What a statement gave: a cursor of psycopg, or what a caller's own connection gave instead of one."""

    @property
    def description(self) -> Sequence[Named] | None: ...

    def fetchone(self) -> Any: ...

    def fetchall(self) -> Any: ...


class Part(Struct, frozen=True):
    """One part of an answer."""

    name: str
    is_guard: bool
    is_json: bool


class Statement(Struct, frozen=True):
    """A call's statement, or one of several, in PostgreSQL's notation."""

    text: bytes
    names: tuple[str, ...]
    """Of its parameters ``$1``, ``$2`` and so on."""
    parts: tuple[Part, ...]
    only_with: tuple[str, ...] = ()
    only_without: tuple[str, ...] = ()

    def suits(self, params: Mapping[str, Any]) -> bool:
        """Whether it may be carried out for a call with these parameters."""
        if not all(params.get(name) for name in self.only_with):
            return False
        return not any(params[name] for name in self.only_without)

    def answer(self, cursor: RawResult) -> Answer:
        """Shape what the statement gave."""
        if not self.parts:
            return {}
        if len(self.parts) == 1 and not self.parts[0].is_json:
            return {self.parts[0].name: cursor.fetchall()}
        row = cursor.fetchone()
        assert row is not None
        assert cursor.description is not None
        columns = dict(zip((column.name for column in cursor.description), row, strict=True))
        for part in self.parts:
            if part.is_guard and columns[part.name] is not None:
                return {part.name: _rows(columns[part.name])}
        return {
            part.name: columns[part.name] if part.is_json else _rows(columns[part.name])
            for part in self.parts
            if not part.is_guard
        }


Bound = tuple[Statement, list[Any]]
"""A statement and the values of its parameters."""


def _rows(value: Any) -> Any:
    """Rows from a column of JSON; on a connection of the caller's they may be decoded already."""
    return decode(value) if isinstance(value, bytes | str) else value


@cache
def statements(schema: str) -> Mapping[str, Sequence[Statement]]:
    """Every call's statements by name, for tables in ``schema`` (checked by the caller)."""
    prefix = f'"{schema}".'
    calls = load_calls(_PACKAGE, prefix=prefix, left_open=_NOTIFY)
    notify = shared_text(_PACKAGE, _NOTIFY).replace("windlass_", prefix)

    def forms(source: str) -> list[str]:
        return _rare_forms(source, prefix) + _forms(_HERE_WITH.sub("", source), notify)

    return OnDemand(calls, lambda name: [translate(form) for step in calls[name] for form in forms(step.text)])


def translate(source: str) -> Statement:
    """Turn ``:name`` into ``$1``; comments go, they could be taken for parameters.

    >>> translate("-- gives total\\nSELECT :one + :two - :one").text
    b'SELECT $1 + $2 - $1'
    """
    parts = tuple(Part(name, kind == "guard", bool(as_json)) for kind, name, as_json in _PART.findall(source))
    code = _COMMENT.sub("", source).strip()
    names = tuple(dict.fromkeys(_PARAMETER.findall(code)))
    text = _PARAMETER.sub(lambda match: f"${names.index(match[1]) + 1}", code)
    with_, without = _said(_ONLY_WITH, source), _said(_ONLY_WITHOUT, source)
    return Statement(
        text.encode(),
        names,
        parts,
        only_with=split(with_) if with_ else (),
        only_without=split(without) if without else (),
    )


def _rare_forms(source: str, prefix: str) -> list[str]:
    """The forms with the parts that most calls do without, those with most parts first."""
    lists = sorted({name for _, name in _HERE_WITH.findall(source)})

    def form(chosen: tuple[str, ...]) -> str:
        def text(here: re.Match[str]) -> str:
            return shared_text(_PACKAGE, here[1]).replace("windlass_", prefix) if here[2] in chosen else ""

        names = ", ".join(chosen)
        whole = _HERE_WITH.sub(text, source).replace(_HERE_NOTIFY, "")
        return f"-- only with {names}\n" + fill(whole, file=f"{_PACKAGE}: with {names}")

    return [form(chosen) for size in range(len(lists), 0, -1) for chosen in combinations(lists, size)]


def _forms(source: str, notify: str) -> list[str]:
    if _HERE_NOTIFY not in source:
        return [source]
    return ["-- only with news\n" + source.replace(_HERE_NOTIFY, f",\n{notify}"), source.replace(_HERE_NOTIFY, "")]


def _said(heading: re.Pattern[str], source: str) -> str | None:
    found = heading.search(source)
    return found[1] if found else None
