"""Fills the names of fields into the text of a statement.

A heading says of which fields the rows of a parameter consist; the name of a struct stands for all of its fields:

- ``-- :completed rows (seq, fence, ran_for, result) as run``
- ``-- :endings rows (Ending, was_started)``

In the text, names in braces stand for fields:

- ``{run.ran_for}``: that value of a row, ``run.value ->> 2``; by the parameter's own name, ``{completed.ran_for}``, it
  is ``value ->> 2``
- ``{Claimed}``: all fields of a struct, ``seq, id, ...``
- ``{job.Claimed}``: the same of a table, ``job.seq, job.id, ...``
- ``{:JobTemplate}``: parameters of these names, ``:task, :queue, ...``
- ``{endings.Ending}``: the values of a row, ``value ->> 0, value ->> 1, ...``

What such a list has to say of its fields follows behind semicolons, in any order:

- ``{Claimed; without is_charged, timeout}``
- ``{Claimed; unknown_for = :now - unknown_at}``: this instead of the field
- ``{Claimed; cast numbers as text; cast fence, seq as bigint}``: ``CAST(seq AS bigint), ...``; what stands instead of a
  field is left alone
- ``{endings.Ending; named}``: ``value ->> 0 AS seq, ...``
- ``{JobRecord; keyed}``: ``'seq', seq, ...``
- ``{excluded.HeldKey; assigned}``: ``key = excluded.key, ...``

A text in quotes that begins with a brace, ``'{"v":1}'``, is left as it is. A name that is not known is an error, so
that no statement can do without a field by mistake.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial

from windlass.store.columns import STRUCTS, fields_of, numbers_of

_COMMENT = re.compile(r"--.*")
_ROWS = re.compile(r"^-- :(\w+) rows \(([\w, ]+)\)(?: as (\w+))?", re.M)
# Passed by as a whole: what comments, and texts that begin with a brace, have in braces is not filled in.
_PASSED_BY = r"--.*|'\{[^']*'"
_FIELD = re.compile(_PASSED_BY + r"|\{(\w+)\.([a-z]\w*)\}")
_LIST = re.compile(_PASSED_BY + r"|\{((?>--.*|[^{}])++)\}")
_HEAD = re.compile(r"(:|\w+\.)?([A-Z]\w*)")
_WITHOUT = re.compile(r"without ([\w, ]+)")
_CAST = re.compile(r"cast ([\w, ]+) as ([\w ]+)")
_INSTEAD = re.compile(r"(\w+) = (.+)", re.S)

_FORMS = {"named": "{0} AS {1}", "keyed": "'{1}', {0}", "assigned": "{1} = {0}"}


class UnknownName(LookupError):
    """A statement file names a struct or a field that there is not."""


@dataclass(frozen=True, slots=True)
class RowFields:
    """The fields of a parameter's rows, and what stands before ``value`` in the text."""

    prefix: str
    fields: tuple[str, ...]

    def value(self, name: str) -> str:
        return f"{self.prefix}value ->> {self.fields.index(known(name, self.fields))}"


@dataclass(slots=True)
class FieldList:
    """A list of fields as the text asks for it."""

    struct: str
    fields: list[str] = field(init=False)
    casts: dict[str, str] = field(default_factory=dict)
    instead: dict[str, str] = field(default_factory=dict)
    form: str = "{0}"

    def __post_init__(self) -> None:
        self.fields = list(_fields_of(self.struct))

    def change(self, clause: str) -> None:
        """Take in one of the clauses behind the name."""
        if clause in _FORMS:
            self.form = _FORMS[clause]
        elif found := _WITHOUT.fullmatch(clause):
            for name in self._named(found[1]):
                self.fields.remove(name)
        elif found := _CAST.fullmatch(clause):
            self.casts.update(dict.fromkeys(self._named(found[1]), found[2]))
        elif found := _INSTEAD.fullmatch(clause):
            self.instead[known(found[1], self.fields)] = found[2]
        else:
            raise UnknownName(f"{clause!r} says nothing of a list")

    def written(self, prefix: str, rows: RowFields | None) -> str:
        """The fields in order, separated by commas."""
        return ", ".join(self.form.format(self._expression(name, prefix, rows), name) for name in self.fields)

    def _expression(self, name: str, prefix: str, rows: RowFields | None) -> str:
        if name in self.instead:
            return self.instead[name]
        plain = f"{prefix}{name}" if rows is None else rows.value(name)
        return f"CAST({plain} AS {self.casts[name]})" if name in self.casts else plain

    def _named(self, names: str) -> Iterable[str]:
        if names == "numbers":
            return numbers_of(self.struct)
        return [known(name, self.fields) for name in split(names)]


def fill(text: str, *, file: str) -> str:
    """The text with fields for names; raises ``UnknownName``, which says in which file."""
    try:
        rows = _declared(text)
        return _LIST.sub(partial(_list, rows), _FIELD.sub(partial(_field, rows), text))
    except UnknownName as error:
        raise UnknownName(f"{file}: {error}") from None


def split(names: str) -> tuple[str, ...]:
    """Names that commas separate."""
    return tuple(name.strip() for name in names.split(","))


def _declared(text: str) -> dict[str, RowFields]:
    """What headings say of rows, by each name that these have."""
    rows: dict[str, RowFields] = {}
    for name, fields, alias in _ROWS.findall(text):
        every = tuple(field for item in split(fields) for field in _fields_meant(item))
        rows[name] = RowFields("", every)
        if alias:
            rows[alias] = RowFields(f"{alias}.", every)
    return rows


def _fields_meant(item: str) -> tuple[str, ...]:
    return _fields_of(item) if item[0].isupper() else (item,)


def _field(rows: Mapping[str, RowFields], found: re.Match[str]) -> str:
    name, field = found.groups()
    if name is None:
        return found[0]
    return rows[known(name, rows)].value(field)


def _list(rows: Mapping[str, RowFields], found: re.Match[str]) -> str:
    if found[1] is None:
        return found[0]
    head, *clauses = (clause.strip() for clause in _COMMENT.sub("", found[1]).split(";"))
    named = _HEAD.fullmatch(head)
    if named is None:
        raise UnknownName(f"{head!r} is neither a struct nor a field of rows")
    prefix, struct = named[1] or "", named[2]
    fields = FieldList(struct)
    for clause in clauses:
        fields.change(clause)
    return fields.written(prefix, rows.get(prefix.removesuffix(".")))


def _fields_of(struct: str) -> tuple[str, ...]:
    return fields_of(known(struct, STRUCTS))


def known(name: str, names: Iterable[str]) -> str:
    """The name, or ``UnknownName`` where it is none of these."""
    if name not in names:
        raise UnknownName(f"there is no {name!r} among {', '.join(names) or 'rows: no heading declares any'}")
    return name
