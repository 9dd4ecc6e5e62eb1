"""Where a round keeps its jobs. Imports nothing of Windlass, so that peers can use it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """An empty store, or room for a peer on the same server."""

    url: str
    namespace: str = "windlass"
    """Begins the names of everything in it; a Redis server holds those of other rounds too."""
