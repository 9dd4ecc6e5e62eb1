"""Lua files: where they lie, what their headings say.

A call is one file, ``calls/NAME.lua``. Comment lines at its head say what it does, what it asks for (the call's
parameters) and gives (the parts of its answer) and, in a fixed form, what it needs:

- ``-- KEYS a, b``: the fixed keys it touches, which it finds as ``KEY.a``, ``KEY.b``; keys of single jobs, leases and
  queues are derived from the prefix
- ``-- with a, b``: parts of ``shared/`` that are put before it, in this order
- ``-- without epoch``: it does not ask for the epoch, because it only reads (or begins one)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha1
from importlib.resources import files

_FOLDER = "windlass.store.redis"
_KEYS = re.compile(r"^-- KEYS (.+)$", re.M)
_WITH = re.compile(r"^-- with (.+)$", re.M)
_WITHOUT_EPOCH = re.compile(r"^-- without epoch$", re.M)


@dataclass(frozen=True, slots=True)
class Script:
    """One script as the server gets it."""

    text: str
    digest: str
    keys: tuple[str, ...]
    """The names of the fixed keys, in the order in which they are declared."""

    def under(self, prefix: str) -> Script:
        """The same with the keys of one store."""
        return replace(self, keys=tuple(prefix + key for key in self.keys))


@cache
def load_scripts() -> Mapping[str, Script]:
    """Every call's script, by the call's name."""
    calls = files(_FOLDER).joinpath("calls").iterdir()
    return {
        file.name.removesuffix(".lua"): _composed(file.read_text(encoding="utf-8"))
        for file in calls
        if file.name.endswith(".lua")
    }


def _composed(source: str) -> Script:
    keys, shared = _names(_KEYS, source), ("ask", *_names(_WITH, source))
    if not _WITHOUT_EPOCH.search(source):
        keys, shared = (*keys, "epoch"), ("ask", "epoch", *shared[1:])
    declared = ", ".join(f"{key} = KEYS[{number}]" for number, key in enumerate(keys, 1))
    text = "".join([f"local KEY = {{{declared}}}\n", *map(_shared, shared), source])
    return Script(text, sha1(text.encode(), usedforsecurity=False).hexdigest(), keys)


def _names(heading: re.Pattern[str], source: str) -> tuple[str, ...]:
    found = heading.search(source)
    return tuple(name.strip() for name in found[1].split(",")) if found else ()


@cache
def _shared(name: str) -> str:
    return files(_FOLDER).joinpath("shared", f"{name}.lua").read_text(encoding="utf-8")
