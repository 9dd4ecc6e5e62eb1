"""Amounts of memory as people write them."""

from __future__ import annotations

import re

from windlass.errors import ConfigError

_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30}
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)\s*([kmg]?)i?b?", re.I)


def memory(value: int | str, what: str = "memory") -> int:
    """Bytes from a number of bytes or a text.

    >>> memory("512MB"), memory(1000), memory("1.5 GiB")
    (536870912, 1000, 1610612736)
    """
    found = _AMOUNT.fullmatch(str(value).strip())
    if found is None or isinstance(value, bool):
        raise ConfigError(f"{what} must be a number of bytes or a text such as '512MB', got {value!r}")
    amount = int(float(found[1]) * _UNITS[found[2].lower()])
    if amount < 1:
        raise ConfigError(f"{what} must be at least one byte, got {value!r}")
    return amount
