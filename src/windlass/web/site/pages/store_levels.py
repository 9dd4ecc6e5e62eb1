"""What the leader has sampled: how large and how fast the store is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from windlass.app import Windlass
from windlass.insight.figures.figures import Figures
from windlass.insight.figures.view import Level
from windlass.web.site import formats
from windlass.web.site.recent import Recent

_LABELS = {"size": "Size", "memory": "Memory", "max_memory": "Memory at most", "connections": "Connections"}


async def _sampled(app: Windlass) -> Figures:
    return await app.afigures(store=True, range="1h", step="1m")


_STORE = Recent(_sampled, seconds=15)


@dataclass(frozen=True, slots=True)
class StoreLevels:
    """What is known of the store in the last hour; a store tells some of it only."""

    latency: Level | None
    """Seconds until it answers."""
    newest: Sequence[tuple[str, str]]
    """What is measured, and how much that was last."""


async def store_levels(app: Windlass) -> StoreLevels:
    """The levels of the last hour."""
    levels = (await _STORE.of(app)).total.levels
    return StoreLevels(
        levels.get("latency"),
        [(label, _written(name, levels[name].newest)) for name, label in _LABELS.items() if name in levels],
    )


def _written(name: str, value: float) -> str:
    return formats.number(value) if name == "connections" else formats.size(value)
