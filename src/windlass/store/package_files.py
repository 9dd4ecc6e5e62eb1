"""Reads the texts that lie in a package beside its modules: statements, scripts, migrations."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path


def texts_in(package: str, *, ending: str) -> dict[str, str]:
    """Every file of a package, or of a folder of one, whose name has this ending, by its name without it.

    Not by ``importlib.resources``, which imports as much as a store does: libraries in C are never run from an archive.
    """
    with os.scandir(next(iter(import_module(package).__path__))) as entries:
        return {
            entry.name.removesuffix(ending): Path(entry.path).read_text(encoding="utf-8")
            for entry in entries
            if entry.name.endswith(ending)
        }
