"""Names that are imported when they are first used: a start does not pay for what only some programs need."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def lazy_names(module: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """The ``__getattr__`` of a module that offers names of other modules; ``homes`` says where each of them is.

    For what operators and readers ask. What a worker does by itself is imported before it starts: later there may be no
    file descriptor for that, or the files are those of another version.
    """

    def find(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}", name=name)
        found: object = getattr(import_module(homes[name]), name)
        setattr(sys.modules[module], name, found)
        return found

    return find
