"""Noticing that source files were saved."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Event

from windlass import clock

_EVERY = 0.5
_LEFT_OUT = {"__pycache__", "node_modules"}
_WATCHED = (".py", ".toml")

Times = dict[str, int]
"""When each file was last changed, by path."""


def saves(folder: Path, over: Event) -> Iterator[list[str]]:
    """The files below a folder that were saved, added or deleted, whenever there are any, until ``over`` is set.

    With the package watchfiles the system tells; without, the files are looked at twice a second.
    """
    return _told(folder, over) if find_spec("watchfiles") is not None else _seen(folder, over)


def source_files(folder: Path) -> Times:
    """The source files below a folder, without hidden folders and virtual environments."""
    found: Times = {}
    for path, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not _is_left_out(os.path.join(path, name))]
        for name in files:
            if name.endswith(_WATCHED):
                file = os.path.join(path, name)
                found[file] = _changed(file)
    return found


def _seen(folder: Path, over: Event) -> Iterator[list[str]]:
    before = source_files(folder)
    while not clock.wait(over, _EVERY):
        now = source_files(folder)
        if now != before:
            yield sorted(path for path in before.keys() | now.keys() if before.get(path) != now.get(path))
        before = now


def _told(folder: Path, over: Event) -> Iterator[list[str]]:
    watch = import_module("watchfiles").watch
    for changes in watch(folder, watch_filter=_is_source, stop_event=over, raise_interrupt=False):
        yield sorted(path for _, path in changes)


def _is_source(change: object, path: str) -> bool:
    return path.endswith(_WATCHED) and not any(_is_left_out(str(parent)) for parent in Path(path).parents)


def _is_left_out(folder: str) -> bool:
    name = os.path.basename(folder)
    return name.startswith(".") or name in _LEFT_OUT or os.path.exists(os.path.join(folder, "pyvenv.cfg"))


def _changed(file: str) -> int:
    try:
        return os.stat(file).st_mtime_ns
    except OSError:  # deleted between the two looks
        return 0
