"""What the benchmark asks of a store."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol


class Store(Protocol):
    """A kind of store, in the variants that are measured side by side; goals are judged by the first of them."""

    @property
    def name(self) -> str: ...

    @property
    def variants(self) -> tuple[str, ...]: ...

    def place(self, variant: str, folder: Path) -> AbstractContextManager[str]:
        """An empty store, for as long as the context lasts; gives its URL. ``folder`` exists and is empty."""

    def facts(self) -> Mapping[str, str]:
        """What a reader of the figures must know of it, such as its version."""

    def guarantee(self, variant: str) -> str:
        """What holds for a job in this variant, to set beside what the peers promise."""
