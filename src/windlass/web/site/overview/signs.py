"""What asks for a look, beside its link on every page: causes that fail now, alerts that fire."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

from windlass.app import Windlass
from windlass.core.alerts.records import AlertState
from windlass.store.operation import Operation
from windlass.store.operations.alerts.alerts import open_counts
from windlass.store.operations.diagnostics.failures import WINDOW, dead_groups
from windlass.store.operations.diagnostics.mutes import mutes
from windlass.web.readings.background_reading import BackgroundReading


@dataclass(frozen=True, slots=True)
class Signs:
    """How much asks for a look; nothing is shown where that is nothing."""

    failures: int = 0
    """Causes of which a job has failed within the last hour, without muted ones; of the newest failed jobs."""
    alerts: int = 0
    """Alerts that fire and were not acknowledged."""


def signs_of(app: Windlass) -> Signs:
    """What was read last; nothing is waited for, so a process that has just begun knows of nothing yet."""
    last = _KEPT.setdefault(app, BackgroundReading(_read)).last(app.client.session)
    return Signs() if last is None else last.value


def _read() -> Operation[Signs]:
    found = yield from dead_groups(most=WINDOW)
    muted = {mute.cause for mute in (yield from mutes())}
    counts = yield from open_counts()
    return Signs(
        failures=sum(1 for group in found.groups if group.recent and group.cause not in muted),
        alerts=sum(count for (state, _), count in counts.items() if state == AlertState.FIRING),
    )


_KEPT: WeakKeyDictionary[Windlass, BackgroundReading[Signs]] = WeakKeyDictionary()
