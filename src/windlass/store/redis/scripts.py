"""Lua files: where they are, and what their headings declare.

A call is one file, ``calls/NAME.lua``. Comment lines at its head say what it does, what it asks for (the call's
parameters) and gives (the parts of its answer) and, in a fixed form, what it needs:

- ``-- KEYS a, b``: the fixed keys it touches, which it finds as ``KEY.a``, ``KEY.b``; keys of single jobs, leases and
  queues are derived from the prefix
- ``-- ARGS a, b``: the parameters that it finds under these names, as texts, ``NULL`` where there is none; other
  scripts find theirs in ``ask``, numbers as numbers and lists as tables, which takes longer to make
- ``-- with a, b``: parts of ``shared/`` that are put before it, in this order; parts may need others in turn
- ``-- without epoch``: it does not ask for the epoch, because it only reads (or begins one)
- ``-- endings: rows (Ending, was_started) as ending``: the fields of ``ending``, which it then has by name

Replies and rows are lists; the names of their fields become positions when a file is loaded (see ``templates.py``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from hashlib import sha1

from msgspec import Struct
from msgspec.structs import replace

from windlass.store.on_demand import OnDemand
from windlass.store.package_files import texts_in
from windlass.store.redis.templates import GIVEN, fill
from windlass.store.templates import split

_FOLDER = "windlass.store.redis"
_FIRST = len(GIVEN) + 1
"""Where a call's parameters begin, behind what every call is given."""
_KEYS = re.compile(r"^-- KEYS (.+)$", re.M)
_ARGS = re.compile(r"^-- ARGS (.+)$", re.M)
_WITH = re.compile(r"^-- with (.+)$", re.M)
_WITHOUT_EPOCH = re.compile(r"^-- without epoch$", re.M)


class Script(Struct, frozen=True):
    """One script as the server gets it."""

    text: str
    digest: str
    keys: tuple[str, ...]
    """The names of the fixed keys, in the order in which they are declared."""
    arguments: tuple[str, ...] = ()
    """The parameters that it is given one by one; none where it wants all of them together."""

    def under(self, prefix: str) -> Script:
        """The same with the keys of one store."""
        return replace(self, keys=tuple(prefix + key for key in self.keys))


@cache
def load_scripts() -> Mapping[str, Script]:
    """Every call's script, by the call's name.

    All files are read at once, so that they belong together; a script is put together when it is first asked for.
    """
    sources = _texts("calls")
    _texts("shared")
    return OnDemand(sources, lambda name: _composed(_filled("calls", name)))


def _composed(source: str) -> Script:
    has_epoch = not _WITHOUT_EPOCH.search(source)
    keys = _names(_KEYS, source) + (("epoch",) if has_epoch else ())
    arguments = _names(_ARGS, source)
    before = ("context", "epoch") if has_epoch else ("context",)
    parts = _parts(*before, "null" if arguments else "params", *_names(_WITH, source))
    text = _declared_keys(keys) + _declared_arguments(arguments) + "".join(parts) + source
    return Script(text, sha1(text.encode(), usedforsecurity=False).hexdigest(), keys, arguments)


def _declared_keys(names: tuple[str, ...]) -> str:
    return f"local KEY = {{{', '.join(f'{name} = KEYS[{number}]' for number, name in enumerate(names, 1))}}}\n"


def _declared_arguments(names: tuple[str, ...]) -> str:
    return f"local {', '.join(names)} = unpack(ARGV, {_FIRST})\n" if names else ""


def _parts(*names: str) -> list[str]:
    """These shared parts, each once and behind those that it needs."""
    ordered: dict[str, str] = {}

    def put(name: str) -> None:
        if name not in ordered:
            part = _shared(name)
            for needed in _names(_WITH, part):
                put(needed)
            ordered[name] = part

    for name in names:
        put(name)
    return list(ordered.values())


def _names(heading: re.Pattern[str], source: str) -> tuple[str, ...]:
    found = heading.search(source)
    return split(found[1]) if found else ()


@cache
def _shared(name: str) -> str:
    return _filled("shared", name)


def _filled(folder: str, name: str) -> str:
    return fill(_texts(folder)[name], file=f"{folder}/{name}.lua")


@cache
def _texts(folder: str) -> Mapping[str, str]:
    """The files of a folder by the names of what they hold."""
    return texts_in(f"{_FOLDER}.{folder}", ending=".lua")
