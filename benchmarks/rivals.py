"""Against whom our figures are set, and how many times better they are to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks.goals import goal
from benchmarks.peers import PEERS


@dataclass(frozen=True, slots=True, kw_only=True)
class Rivals:
    """Some of the peers on a store; we are set against the best of them in each line."""

    title: str
    peers: tuple[str, ...]
    drain_ratio: float | None = None
    """The goal for our drains; None: they are shown for the reader, and no goal is about them."""
    is_for_all: bool = True
    """False: only our first variant is set against them."""

    def wanted(self, store: str, line: str) -> float | None:
        """How many times better than the best of them; 1 where nothing is said: no line may be below the best peer."""
        if self.drain_ratio is None or goal(store, line) is None:
            return None
        return self.drain_ratio if line in _DRAINS else 1.0


_DRAINS = ("drain-async", "drain-threads")


def _on(store: str) -> tuple[str, ...]:
    return tuple(peer.name for peer in PEERS.values() if peer.store == store)


_PGQUEUER = ("pgqueuer-10", "pgqueuer-100")

RIVALS: Mapping[str, tuple[Rivals, ...]] = {
    "sqlite": (
        Rivals(title="best", peers=_on("sqlite"), drain_ratio=4),
        # Like with like: those that sync every commit, as our first variant does.
        Rivals(
            title="best synced",
            peers=tuple(peer for peer in _on("sqlite") if PEERS[peer].is_synced),
            is_for_all=False,
        ),
    ),
    "postgres": (
        Rivals(title="pgqueuer", peers=_PGQUEUER, drain_ratio=1.3),
        Rivals(title="others", peers=tuple(peer for peer in _on("postgres") if peer not in _PGQUEUER), drain_ratio=8),
    ),
    "redis": (
        Rivals(title="best", peers=_on("redis"), drain_ratio=6),
        # Like with like: those that lose no job with the worker that took it.
        Rivals(title="best that keeps jobs", peers=tuple(peer for peer in _on("redis") if PEERS[peer].keeps_jobs)),
    ),
}
