"""Fills the positions of fields into the text of a script.

Replies and rows are lists, which a script reads by position. Scripts are written with names instead, and get the
positions when they are loaded. A comment, or the command itself, says which fields a variable has in this file:

- ``-- completed: rows (seq, fence, ran_for, result) as run``: these are the fields of ``run``. The name of a struct
  stands for all of its fields, ``rows (Ending, was_started) as ending``. Several variables may have the same fields,
  ``as one/other``. What stands behind a semicolon, ``rows (Claimed; turn) as row``, is kept by its name beside the list
- ``{job: id, state}``: becomes ``'id', 'state'``, for a command that asks for fields; its reply is ``job``

In the text:

- ``run.ran_for``: that value, ``run[3]``
- ``{ending; seq = run.seq; fence = run.fence; state = 'completed'}``: a row of these values in the order of its fields,
  ``{run[1], run[2], 'completed'}``; ``{Ending; ...}`` is the same for a struct. A field that has a default in Python
  may be left out, and is ``nil``
- ``{JobRecord}``: the names of all fields, ``'seq', 'id', ...``; ``{#JobRecord}``: how many there are
- ``{Claimed.payload}``: the position itself, ``6``

Braces with anything else in them are Lua's own. A name that is not known is an error that says in which file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial

from msgspec import Struct

from windlass.store.columns import STRUCTS, fields_of
from windlass.store.templates import UnknownName, known, split

GIVEN = ("now", "prefix", "epoch")
"""What every script is given before its parameters."""

_COMMENT = re.compile(r" *--.*")
_COMMENTS = re.compile(r"--.*(?:\n *--.*)*")
_LINE_BREAK = re.compile(r"\s*\n *-- *")
_ROWS = re.compile(r"\brows? \(([\w, ]+)(?:; ([\w, ]+))?\) as (\w+(?:/\w+)*)")
# Comments and texts are passed by as a whole.
_PASSED = r"--.*|'(?:\\.|[^'\\\n])*'|"
_FIELDS = re.compile(_PASSED + r"\{(\s*)(\w+): ([\w,\s]+)\}")
_CONSTRUCTOR = re.compile(_PASSED + r"\{\s*(\w+);([^{}]*)\}")
_STRUCT = re.compile(_PASSED + r"\{(#?)([A-Z][a-z]\w*)(?:\.(\w+))?\}")
_VALUE = re.compile(_PASSED + r"(?<![\w.])([A-Za-z]\w*)\.(\w+)")
_CLAUSE = re.compile(r"(\s*)(\w+) = (.+?)\s*", re.S)


class LuaRow(Struct, frozen=True):
    """The fields of a row, those that may be left out, and the names that are kept beside the list."""

    fields: tuple[str, ...]
    optional: frozenset[str] = frozenset()
    beside: tuple[str, ...] = ()

    def access(self, field: str) -> str:
        """What stands behind a variable to get at this field."""
        return f".{field}" if field in self.beside else f"[{self.position(field)}]"

    def position(self, field: str) -> int:
        return self.fields.index(known(field, self.fields)) + 1

    def made_of(self, values: Mapping[str, str]) -> str:
        """The row of these values, as Lua writes it; what is left out at its end is not there."""
        for name in values:
            known(name, self.fields + self.beside)
        missing = [name for name in self.fields if name not in values and name not in self.optional]
        if missing:
            raise UnknownName(f"a row of {', '.join(self.fields)} has no {', '.join(missing)}")
        listed = [values.get(name, " nil") for name in self.fields]
        while listed[-1] == " nil":
            listed.pop()
        return ",".join([*listed, *(f" {name} ={values[name]}" for name in self.beside if name in values)]).lstrip(" ")


Rows = dict[str, LuaRow]


def fill(text: str, *, file: str) -> str:
    """The text with positions for names; raises ``UnknownName``, which says in which file."""
    try:
        rows = _declared_rows(text)
        text = _replaced(_FIELDS, _quoted, text)
        text = _replaced(_CONSTRUCTOR, partial(_constructed, rows), text)
        text = _replaced(_STRUCT, _of_struct, text)
        return _replaced(_VALUE, partial(_value, rows), text)
    except UnknownName as error:
        raise UnknownName(f"{file}: {error}") from None


def _declared_rows(text: str) -> Rows:
    """What comments and commands say of the fields of variables, by the name of the variable."""
    rows = {"ARGV": LuaRow((*GIVEN, "params"))}
    for comment in _COMMENTS.findall(text):
        for fields, beside, variables in _ROWS.findall(_LINE_BREAK.sub(" ", comment)):
            for variable in variables.split("/"):
                _declare(rows, variable, _row(split(fields), beside=split(beside) if beside else ()))
    for _, variable, fields in _FIELDS.findall(text):
        if variable:
            _declare(rows, variable, _row(split(fields)))
    return rows


def _declare(rows: Rows, variable: str, row: LuaRow) -> None:
    if rows.setdefault(variable, row) != row:
        raise UnknownName(f"{variable!r} is declared with different fields")


def _row(items: Iterable[str], *, beside: tuple[str, ...] = ()) -> LuaRow:
    fields: list[str] = []
    optional: set[str] = set()
    for item in items:
        if item[:1].isupper():
            fields += fields_of(known(item, STRUCTS))
            optional.update(fields[len(fields) - len(STRUCTS[item].__struct_defaults__) :])
        else:
            fields.append(item)
    return LuaRow(tuple(fields), frozenset(optional), beside)


def _replaced(form: re.Pattern[str], write: Callable[[re.Match[str]], str], text: str) -> str:
    """The text with what ``write`` makes of each place; comments and texts of the script are none."""
    return form.sub(lambda found: found[0] if found.lastindex is None else write(found), text)


def _quoted(found: re.Match[str]) -> str:
    indent, _, fields = found.groups()
    return indent + re.sub(r"\w+", r"'\g<0>'", fields)


def _constructed(rows: Rows, found: re.Match[str]) -> str:
    name, clauses = found.groups()
    row = _row([name]) if name[0].isupper() else rows.get(name)
    if row is None:
        return found[0]
    values = {}
    for clause in _COMMENT.sub("", clauses).split(";"):
        if clause.strip():
            assigned = _CLAUSE.fullmatch(clause)
            if assigned is None:
                raise UnknownName(f"{clause.strip()!r} gives no field of {name}")
            values[assigned[2]] = assigned[1] + assigned[3]
    return f"{{{row.made_of(values)}}}"


def _of_struct(found: re.Match[str]) -> str:
    count, name, field = found.groups()
    row = _row([name])
    if field:
        return str(row.position(field))
    return str(len(row.fields)) if count else ", ".join(f"'{each}'" for each in row.fields)


def _value(rows: Rows, found: re.Match[str]) -> str:
    name, field = found.groups()
    return f"{name}{rows[name].access(field)}" if name in rows else found[0]
