"""What the benchmark knows of a peer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.place import Place
from benchmarks.scale import Scale
from benchmarks.server import Server


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """Another job queue on one store."""

    name: str
    title: str
    store: str
    packages: tuple[str, ...]
    module: str
    measures: tuple[str, ...]
    """What it can be compared by: the names that our measurements have as ``versus``."""
    is_synced: bool
    """Whether every commit is on disk before the caller goes on, as with our durability full."""
    keeps_jobs: bool = True
    """Whether a job is still there when the worker that took it is killed, as with ours."""
    variant: str = ""
    """Tells its module which of several ways of running it is meant."""
    guarantee: str
    """The settings it runs with and what they promise, for the reader."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerRound:
    """What one round of a peer works with: an empty folder, room on the server, how much to do, and how."""

    folder: Path
    place: Place
    server: Server
    scale: Scale
    variant: str = ""
