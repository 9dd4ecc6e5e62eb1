"""Apps whose workers have the time to write what they must before they leave, also on a machine that is busy."""

from __future__ import annotations

from windlass import Windlass
from windlass.worker.shutdown import Parting


def unhurried(app: Windlass) -> Windlass:
    """The same app, whose workers give up on a store that does not answer much later than in production."""
    app._parting = Parting(last_writes=10.0, goodbye=10.0)  # noqa: SLF001
    return app


def hurried(app: Windlass) -> Windlass:
    """The same app, whose workers have only as much time to leave as in production."""
    app._parting = None  # noqa: SLF001
    return app
