"""The folder and environment of a command."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from windlass.errors import PermanentError

PASSED_ON = frozenset({"HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TMPDIR", "TZ", "USER"})
"""The variables of the worker that a command gets, besides LC_*; others may hold secrets."""


def environment(
    wanted: Mapping[str, str] | None, *, is_all: bool, own: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """The variables of a command: ``wanted``, on top of the harmless ones of the worker unless ``is_all``.

    >>> environment({"A": "1"}, is_all=False, own={"PATH": "/bin", "SECRET": "x", "LC_ALL": "C"})
    {'PATH': '/bin', 'LC_ALL': 'C', 'A': '1'}
    """
    if is_all:
        return dict(wanted or {})
    harmless = {name: value for name, value in own.items() if name in PASSED_ON or name.startswith("LC_")}
    return {**harmless, **(wanted or {})}


def working_folder(wanted: str | None, *, jail: Path | None) -> str | None:
    """The folder to start in. With a ``jail`` it must lie below the jail, after all links are resolved."""
    if jail is None:
        return wanted
    root = jail.resolve()
    folder = Path(root, wanted or ".").resolve()
    if not folder.is_relative_to(root):
        raise PermanentError(f"cwd {wanted!r} leads out of the folder that this worker keeps commands in")
    return str(folder)
