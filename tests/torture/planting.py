"""How bugs are planted: other words in a statement or script, or another function in the place of one.

What they replace is looked up when they are planted, so that one which no longer fits the code says so instead of
changing nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from windlass.store import statement_files

Plant = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Mutant:
    """One bug."""

    plant: Plant
    store: str
    """Where it is hunted; those that lie above the store could be hunted on any."""
    breaks: tuple[str, ...]
    """The invariants by which it may be found."""
    without: frozenset[str] = frozenset()
    """Faults that would be an excuse for what it does."""


def edit(call: str, *changes: tuple[str, str], store: str = "sqlite") -> Plant:
    """Other words in the statements of a call."""

    def plant() -> None:
        really = statement_files.load_calls

        def load(package: str, *, prefix: str, **more: Any) -> Any:
            calls = dict(really(package, prefix=prefix, **more))
            if store in package:
                meant = [(words.replace("windlass_", prefix), instead) for words, instead in changes]
                _assert_found(call, meant, calls[call])
                calls[call] = [_edited(statement, meant) for statement in calls[call]]
            return calls

        replace_everywhere(really, load)

    return plant


def edit_script(call: str, words: str, instead: str) -> Plant:
    """Other words in the script of a call on Redis."""

    def plant() -> None:
        from hashlib import sha1

        from windlass.store.redis import scripts

        really = scripts.load_scripts

        def load() -> Any:
            found = dict(really())
            if words not in found[call].text:
                raise LookupError(f"mutant: the script of {call} does not say {words!r}")
            text = found[call].text.replace(words, instead)
            found[call] = replace(found[call], text=text, digest=sha1(text.encode(), usedforsecurity=False).hexdigest())
            return found

        replace_everywhere(really, load)

    return plant


def _edited(statement: statement_files.Statement, changes: Sequence[tuple[str, str]]) -> statement_files.Statement:
    text = statement.text
    for words, instead in changes:
        text = text.replace(words, instead)
    return replace(statement, text=text)


def _assert_found(call: str, changes: Sequence[tuple[str, str]], found: Sequence[statement_files.Statement]) -> None:
    for words, _ in changes:
        if not any(words in statement.text for statement in found):
            raise LookupError(f"mutant: no statement of {call} says {words!r}")


def together(*plants: Plant) -> Plant:
    def plant() -> None:
        for one in plants:
            one()

    return plant


def replace_everywhere(original: Any, instead: Any) -> None:
    """Everywhere in the package, also where it was imported by name."""
    for name, module in list(sys.modules.items()):
        if name.startswith("windlass"):
            for attribute, value in list(vars(module).items()):
                if value is original:
                    setattr(module, attribute, instead)


def set_attribute(owner: object, name: str, instead: Any) -> None:
    getattr(owner, name)  # what is gone cannot be replaced
    setattr(owner, name, instead)
