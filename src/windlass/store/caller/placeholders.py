"""Parameters in the notation of other libraries."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

_PARAMETER = re.compile(r"\$(\d+)")


@lru_cache(maxsize=64)
def pyformat(text: str) -> str:
    """A statement with ``$1`` as ``%(p1)s``.

    >>> pyformat("SELECT $1 % 2")
    'SELECT %(p1)s %% 2'
    """
    return _PARAMETER.sub(r"%(p\1)s", text.replace("%", "%%"))


def by_name(values: Sequence[Any]) -> Mapping[str, Any]:
    """The values for ``pyformat``."""
    return {f"p{number}": value for number, value in enumerate(values, start=1)}


def with_text_cast(text: str, values: Sequence[Any]) -> str:
    """A statement whose text parameters say that they are text, wherever they stand.

    Otherwise a driver may find out that one is cast to JSON, and encode what is JSON already.

    >>> with_text_cast("SELECT CAST($1 AS jsonb), $2", ["[]", 1])
    'SELECT CAST(CAST($1 AS text) AS jsonb), $2'
    """
    return _cast(text, tuple(isinstance(value, str) for value in values))


@lru_cache(maxsize=64)
def _cast(text: str, is_text: tuple[bool, ...]) -> str:
    return _PARAMETER.sub(lambda found: f"CAST({found[0]} AS text)" if is_text[int(found[1]) - 1] else found[0], text)
