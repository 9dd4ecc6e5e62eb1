"""What the benchmark asks of a store."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from benchmarks.place import Place
from benchmarks.server import Server


class Store(Protocol):
    """A kind of store, in the variants that are measured side by side; goals are judged by the first of them."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str:
        """Its name for people."""

    @property
    def variants(self) -> tuple[str, ...]: ...

    def serve(self, folder: Path) -> AbstractContextManager[Server]:
        """Run what all rounds share, with its files on the disk of ``folder``."""

    def fresh(self, server: Server, variant: str, folder: Path) -> AbstractContextManager[Place]:
        """An empty store for one round, of which nothing stays. ``folder`` is the round's own."""

    def beside(self, place: Place, name: str) -> Place:
        """A further empty store for the round that has ``place``."""

    def facts(self, server: Server) -> Mapping[str, str]:
        """What a reader of the figures must know of it, such as its version."""

    def warnings(self, server: Server) -> list[str]:
        """Why its figures may mean little."""

    def guarantee(self, variant: str) -> str:
        """What holds for a job in this variant, to set beside what the peers promise."""
