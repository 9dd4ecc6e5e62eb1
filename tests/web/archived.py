"""Puts jobs aside as cleaning does, without waiting for retention."""

from __future__ import annotations

from windlass import Windlass
from windlass.archive.protocol import week_of
from windlass.store.operations.upkeep.prune import archive


def put_aside(app: Windlass, *ids: str) -> None:
    """Move finished jobs into the store's archive."""
    for id in ids:
        record = app.job(id).record
        assert app.client.session.run(archive([(record.seq, week_of(record))])) == [record.seq]
        app.job(id).delete()
