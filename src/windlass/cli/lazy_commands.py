"""Commands that are imported when they are called: a start pays for one of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module

import click


class LazyCommands(MutableMapping[str, click.Command]):
    """The commands of a group by name, each given as ``module:object``. Their names are known without an import."""

    def __init__(self, homes: Mapping[str, str]) -> None:
        self._homes: dict[str, str | click.Command] = dict(homes)

    def __getitem__(self, name: str) -> click.Command:
        found = self._homes[name]
        if isinstance(found, str):
            module, _, attribute = found.partition(":")
            found = self._homes[name] = getattr(import_module(module), attribute)
        assert isinstance(found, click.Command)
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._homes

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._homes[name] = command

    def __delitem__(self, name: str) -> None:
        del self._homes[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._homes)

    def __len__(self) -> int:
        return len(self._homes)
