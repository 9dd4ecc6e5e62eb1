"""Warns of a queue that only the command line names."""

from __future__ import annotations

import difflib
import logging
from collections.abc import Iterable

from windlass.app import Windlass
from windlass.errors import StoreUnavailable
from windlass.store.operation import Operation
from windlass.store.operations import queries, queues

log = logging.getLogger("windlass.worker")


def warn_of_unnamed_queues(app: Windlass, served: Iterable[str]) -> None:
    """Log one line if no task, no route, no setting and no job names some of these queues.

    A store that is away is logged elsewhere.
    """
    in_code = {*app.client.known_queues, *app.client.routes.queues}
    unnamed = [name for name in served if name not in in_code]
    if not unnamed:
        return
    try:
        in_store = app.client.session.run(_used_queues())
    except StoreUnavailable:
        return
    unnamed = [name for name in unnamed if name not in in_store]
    if unnamed:
        known = in_code | in_store
        log.warning(
            "no task, route, setting or job names %s; if that is not misspelt, it waits for a first job",
            ", ".join(f"queue {name!r}{_meant(name, known)}" for name in unnamed),
        )


def _used_queues() -> Operation[set[str]]:
    """Queues that have jobs or settings; queues that are only served by a worker are in the store too."""
    counts = yield from queries.counts()
    settings = yield from queues.settings()
    return counts.keys() | {name for name, queue in settings.items() if queue != queues.QueueRecord(name)}


def _meant(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""
