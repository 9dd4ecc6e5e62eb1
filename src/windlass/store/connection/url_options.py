"""Options in a store URL."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from windlass.errors import ConfigError


def refuse_repeated(names: Iterable[str], url: str) -> None:
    """``ConfigError`` for an option that is given twice: it is unknown which value is meant.

    ``url`` is what the store is called before people.
    """
    for name, times in Counter(names).items():
        if times > 1:
            raise ConfigError(f"store URL {url!r}: option {name!r} is given {times} times; give it once")
