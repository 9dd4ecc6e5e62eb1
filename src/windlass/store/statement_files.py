"""Statement files: where they are, and what their headings declare.

A call is one file, named like the call. A file with several statements has a numbered heading before each of them
(``-- 1. finish``, ``-- 2. mark``). Comment lines at the head of a statement say what it does and, in a fixed form, how
its part of the answer is made:

- ``-- gives NAME``: its rows are the part NAME of the call's answer
- ``-- gives NAME as json``: its one value is a JSON array of rows (one step for the whole batch)
- ``-- each NAME (a, b)``: runs once for each row of the parameter NAME, with the row's values bound as ``:a``, ``:b``
- ``-- each NAME (a, b) unless b = 1``: the same without the rows whose value ``b`` is that number. What all of them
  give may also be bound, as rows and as ``:NAME``, behind the rows of earlier statements that bind the same NAME
- ``-- only with NAME``: left out when the list NAME is empty
- ``-- only with NAME (a, b) where b = 1``: left out when no row of NAME has that number as its value ``b``
- ``-- only without NAME``: left out when the list NAME is not empty
- ``-- only if NAME``, ``-- unless NAME``: left out unless, or when, the value that was bound as ``:NAME`` is true; one
  whose statement was left out is not
- ``-- binds NAME as rows``: its rows are a list NAME for the headings of the statements behind it
- ``-- binds NAME, NAME``: the values of its one row are bound as ``:NAME`` in the statements behind it, and are no part
  of the answer
- ``-- guard NAME``: if it gives rows, the call stops, nothing of it is kept, and NAME is all of its answer
- ``-- ahead``: it only reads, and may do so before the transaction. The statements behind it check again what may have
  changed since

What several statements have in common lies in ``shared/`` beside ``calls/``: ``-- here NAME`` stands where
``shared/NAME.sql`` belongs, ``-- here NAME, NAME`` where several belong with commas between them. ``-- here NAME (a =
text, b = text)`` puts a text of the caller's wherever the shared one has ``{a}`` or ``{b}``. Shared texts may hold
others, and may be whole statements with headings of their own.

Fields of jobs and of other rows are not listed: ``{JobRecord}`` and ``{run.ran_for}`` are filled in (``templates``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from msgspec import Struct

from windlass.store.on_demand import OnDemand
from windlass.store.package_files import texts_in
from windlass.store.templates import fill, split

_SECTION = re.compile(r"^-- \d+\. (.*)\n", re.M)
_HERE = re.compile(r"^ *-- here (\w+(?:, \w+)*)(?: \((.+)\))?\n", re.M)
_GIVES = re.compile(r"^-- gives (\w+)( as json)?$", re.M)
_EACH = re.compile(r"^-- each (\w+) \(([\w, ]+)\)(?: unless (\w+) = (\d+))?$", re.M)
_ONLY = re.compile(r"^-- only with (\w+)(?: \(([\w, ]+)\) where (\w+) = (\d+))?$", re.M)
_ONLY_IF = re.compile(r"^-- (only if|unless) (\w+)$", re.M)
_ONLY_WITHOUT = re.compile(r"^-- only without (\w+)$", re.M)
_BINDS = re.compile(r"^-- binds (\w+(?:, \w+)*)( as rows)?$", re.M)
_GUARD = re.compile(r"^-- guard (\w+)$", re.M)
_AHEAD = re.compile(r"^-- ahead$", re.M)


Row = Sequence[object]


class Rows(Struct, frozen=True):
    """Rows of a parameter: all of them, or those whose value at ``index`` is, or is not, a number."""

    name: str
    index: int | None = None
    value: int = 0
    is_wanted: bool = True

    def of(self, params: Mapping[str, Sequence[Row]]) -> Sequence[Row]:
        rows = params[self.name]
        if self.index is None:
            return rows
        return [row for row in rows if (row[self.index] == self.value) is self.is_wanted]


class Statement(Struct, frozen=True):
    """One statement and what its heading says about its answer."""

    text: str
    gives: str | None = None
    is_json: bool = False
    each: Rows | None = None
    each_names: tuple[str, ...] = ()
    only_with: Rows | None = None
    only_if: str | None = None
    unless: str | None = None
    is_guard: bool = False
    binds: tuple[str, ...] = ()
    binds_rows: bool = False
    only_without: str | None = None
    is_ahead: bool = False
    name: str = ""
    """What its numbered heading calls it."""

    def is_left_out(self, params: Mapping[str, Sequence[Row]], bound: Mapping[str, object]) -> bool:
        """Whether a call with these parameters does without it; ``bound`` has what earlier statements bound."""
        if self.only_with is not None and not self.only_with.of(params):
            return True
        if self.only_without is not None and params[self.only_without]:
            return True
        return (self.only_if is not None and not bound.get(self.only_if)) or (
            self.unless is not None and bool(bound.get(self.unless))
        )


def read_statement(source: str, name: str = "") -> Statement:
    """Parse one statement with its heading; ``name`` is that of its section."""
    gives, each, guard = _GIVES.search(source), _EACH.search(source), _GUARD.search(source)
    only, without, binds = _ONLY.search(source), _ONLY_WITHOUT.search(source), _BINDS.search(source)
    conditions = dict(_ONLY_IF.findall(source))
    return Statement(
        text=source,
        gives=guard[1] if guard else gives[1] if gives else None,
        is_json=bool(gives and gives[2]),
        each=_rows(each, is_wanted=False) if each else None,
        each_names=split(each[2]) if each else (),
        only_with=_rows(only, is_wanted=True) if only else None,
        only_if=conditions.get("only if"),
        unless=conditions.get("unless"),
        is_guard=guard is not None,
        binds=tuple(binds[1].split(", ")) if binds else (),
        binds_rows=bool(binds and binds[2]),
        only_without=without[1] if without else None,
        is_ahead=_AHEAD.search(source) is not None,
        name=name,
    )


def _rows(heading: re.Match[str], *, is_wanted: bool) -> Rows:
    name, names, chosen, value = heading.groups()
    return Rows(name) if chosen is None else Rows(name, split(names).index(chosen), int(value), is_wanted)


@cache
def load_calls(package: str, *, prefix: str, left_open: str | None = None) -> Mapping[str, Sequence[Statement]]:
    """Every call of the store in ``package``, by name; ``prefix``, checked by the caller, replaces ``windlass_``.

    All files are read at once, so that they belong together; a call is put together when it is first asked for. The
    place of ``left_open``, a shared text, is not filled.
    """
    sources = _texts(package, "calls")
    _texts(package, "shared")

    def shared(here: re.Match[str]) -> str:
        if here[1] == left_open:
            return here[0]
        text = ",\n".join(shared_text(package, name) for name in split(here[1]))
        for name, value in _given(here[2]):
            text = text.replace(f"{{{name}}}", value)
        return _HERE.sub(shared, text)

    def statements(call: str) -> Sequence[Statement]:
        return [
            read_statement(fill(section, file=f"{package}: {call}.sql").replace("windlass_", prefix), name)
            for name, section in _sections(_HERE.sub(shared, sources[call]))
        ]

    return OnDemand(sources, statements)


def shared_text(package: str, name: str) -> str:
    """What several statements have in common."""
    return _texts(package, "shared")[name]


@cache
def _texts(package: str, folder: str) -> Mapping[str, str]:
    """The files of a folder by the names of what they hold."""
    return texts_in(f"{package}.{folder}", ending=".sql")


def _given(values: str | None) -> Iterator[tuple[str, str]]:
    """
    >>> list(_given("queue = asked.value ->> 0, suspect = first"))
    [('queue', 'asked.value ->> 0'), ('suspect', 'first')]
    """
    for each in values.split(", ") if values else ():
        name, _, value = each.partition(" = ")
        yield name, value


def _sections(source: str) -> Iterator[tuple[str, str]]:
    """
    >>> list(_sections("-- 1. read\\nSELECT 1\\n\\n-- 2. count\\nSELECT 2\\n"))
    [('read', 'SELECT 1\\n'), ('count', 'SELECT 2\\n')]
    """
    first, *rest = _SECTION.split(source)
    for name, section in [("", first), *zip(rest[::2], rest[1::2], strict=True)]:
        if section.strip():
            yield name, section.rstrip() + "\n"
