"""What a check has found."""

from __future__ import annotations

from typing import NamedTuple


class Finding(NamedTuple):
    """Something that must not be."""

    invariant: str
    what: str

    def __str__(self) -> str:
        return f"{self.invariant}: {self.what}"
