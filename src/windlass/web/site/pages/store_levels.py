"""What the leader has sampled: how large and how fast the store is, and when code was deployed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from windlass.app import Windlass
from windlass.insight.figures.deploys import Deploy, deploys
from windlass.insight.figures.figures import Figures
from windlass.insight.figures.view import Level
from windlass.web.site import formats
from windlass.web.site.charts import step_of
from windlass.web.site.recent import Recent

_LABELS = {"size": "Size", "memory": "Memory", "max_memory": "Memory at most", "connections": "Connections"}


async def _sampled(app: Windlass, range: str) -> Figures:
    return await app.afigures(store=True, range=range, step=step_of(range))


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
    levels = (await _STORE.of(app, "1h")).total.levels
    return StoreLevels(
        levels.get("latency"),
        [(label, _written(name, levels[name].newest)) for name, label in _LABELS.items() if name in levels],
    )


async def deploys_within(app: Windlass, range: str) -> Sequence[Deploy]:
    """The deploys of one of the ranges of charts."""
    return list(deploys((await _STORE.of(app, range)).points))


def _written(name: str, value: float) -> str:
    return formats.number(value) if name == "connections" else formats.size(value)
