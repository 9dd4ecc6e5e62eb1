"""Apps whose workers have the time to write what they must before they leave, also on a machine that is busy."""

from __future__ import annotations

from windlass import Windlass
from windlass.worker.shutdown import ShutdownTimes


def unhurried(app: Windlass) -> Windlass:
    """The same app, whose workers give up on a store that does not answer much later than in production."""
    app._shutdown_times = ShutdownTimes(last_writes=10.0, last_call=10.0)  # noqa: SLF001
    return app


def hurried(app: Windlass) -> Windlass:
    """The same app, whose workers have only as much time to leave as in production."""
    app._shutdown_times = None  # noqa: SLF001
    return app
