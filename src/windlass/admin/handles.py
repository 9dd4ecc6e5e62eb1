"""The handles that only operators use: each is imported when it is first asked for."""

# ruff: noqa: PLC0414  # an alias that repeats the name exports it

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from windlass.admin.alerts import Alerts as Alerts
    from windlass.admin.archive import ArchivedJobs as ArchivedJobs
    from windlass.admin.tasks.concurrency import Concurrency as Concurrency
    from windlass.admin.tasks.rates import TaskRate as TaskRate
else:
    from windlass.lazy import lazy_names

    __getattr__ = lazy_names(
        __name__,
        {
            "Alerts": "windlass.admin.alerts",
            "ArchivedJobs": "windlass.admin.archive",
            "Concurrency": "windlass.admin.tasks.concurrency",
            "TaskRate": "windlass.admin.tasks.rates",
        },
    )
