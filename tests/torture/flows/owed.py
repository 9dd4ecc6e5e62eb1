"""Sends the events that no process is going to send any more."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress

from tests.torture.flows.setting import STEPPING, event_of
from windlass import State, StoreUnavailable, Windlass


def send_owed(app: Windlass, sent_to: Collection[str]) -> None:
    """A job whose event was sent, says the call, has to get it by itself; the others would wait for ever."""
    with suppress(StoreUnavailable):
        for task in STEPPING:
            for job in app.jobs(task=task, state=State.SCHEDULED, limit=500):
                if job.record.reason == "event" and job.id not in sent_to:
                    app.send(event_of(job.id), job.id)
