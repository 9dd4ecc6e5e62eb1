"""A mapping whose values are made when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TypeVar

T = TypeVar("T")


class OnDemand(Mapping[str, T]):
    """``make`` gives the value of a name. Threads that ask at once may both call it; all get the same value."""

    def __init__(self, names: Collection[str], make: Callable[[str], T]) -> None:
        self._names = frozenset(names)
        self._make = make
        self._made: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        try:
            return self._made[name]
        except KeyError:
            if name not in self._names:
                raise
        return self._made.setdefault(name, self._make(name))

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
