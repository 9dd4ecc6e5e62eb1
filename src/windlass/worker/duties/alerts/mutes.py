"""Ends mutes that last until the next deploy."""

from __future__ import annotations

from windlass.core.validate import milliseconds_since_1970
from windlass.insight.workers import last_deploy, worker_views
from windlass.store.operation import Operation
from windlass.store.operations.diagnostics.mutes import mutes, unmute


def end_mutes() -> Operation[list[str]]:
    """End the mutes that last until the next deploy, if there was one since; gives their causes.

    A mute with an end of its own has no effect after it, and tidying removes it.
    """
    until_deploy = [mute.cause for mute in (yield from mutes()) if mute.ends_at is None]
    if not until_deploy:
        return []
    deployed_at = last_deploy((yield from worker_views()))
    if deployed_at is None:
        return []
    return (yield from unmute(until_deploy, before=milliseconds_since_1970(deployed_at, "deployed_at")))
