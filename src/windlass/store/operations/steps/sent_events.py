"""Events that jobs wait for: sends them, lets runs wait, wakes the jobs whose event has come."""

from __future__ import annotations

from msgspec import Struct

from windlass.store.answers import records
from windlass.store.operation import Call, Lane, Operation
from windlass.store.operations.events import record_stale_writes

WOKEN_AT_ONCE = 1000
"""Jobs, and events."""


class Wait(Struct, frozen=True):
    """A wait of a run for an event."""

    name: str
    """Under which the wait is recorded."""
    number: int
    event: str
    timeout: int | None
    """Milliseconds; None for as long as it takes."""


class WaitOutcome(Struct, frozen=True):
    """What has come of a wait."""

    kind: str
    """``event``, or ``timeout``."""
    is_over: bool
    left: int | None
    """In how many milliseconds the time is over."""
    value: str | None


class SentEvent(Struct, frozen=True, array_like=True):
    """An event that is kept for jobs."""

    name: str
    sent_at: int
    value: str | None = None


_MOVED_AT_ONCE = 16
"""Events of up to a megabyte."""


def sent_events(offset: int) -> Operation[list[SentEvent]]:
    """Some of the events that are kept, behind so many others; none at the end."""
    answer = yield Call("sent_events", {"offset": offset, "limit": _MOVED_AT_ONCE}, Lane.READ)
    return records(answer["sent"], SentEvent)


def import_sent(events: list[SentEvent]) -> Operation[None]:
    """Keep events of another store; one that is newer here stays."""
    yield Call("import_sent", {"events": events})


def send_event(name: str, value: str | None) -> Operation[None]:
    """Keep an event for the jobs that wait for it and for those that will; part of a caller's transaction if need be.

    Repeated after no reply, it is sent again: the newest counts.
    """
    yield Call("send_event", {"name": name, "value": value})


def await_event(seq: int, fence: int, wait: Wait, *, worker: str) -> Operation[WaitOutcome | None]:
    """Record what has come of a wait, or that the job waits from now on; None when the lease is lost.

    Repeated, it tells what is recorded, or looks again.
    """
    params = {
        "seq": seq,
        "fence": fence,
        "name": wait.name,
        "number": wait.number,
        "event": wait.event,
        "timeout": wait.timeout,
    }
    answer = yield Call("await_event", params)
    for kind, is_over, left, value in answer["outcome"]:
        return WaitOutcome(kind, bool(is_over), left, value)
    yield from record_stale_writes([(seq, fence, "wait_for")], worker=worker)
    return None


def deliver_events(limit: int = WOKEN_AT_ONCE) -> Operation[int]:
    """Make jobs pending whose event has come; how many. Those whose run has not ended yet wait for the next call.

    Two calls: a wait is marked by the first and looked at by the second, so nothing is lost in between, and repeating
    both does no harm.
    """
    woken = 0
    while True:
        told = yield Call("tell_waiters", {"limit": limit})
        answer = yield Call("wake_waiters", {"limit": limit})
        woken += len(answer["woken"])
        if not told["told"] and answer["looked"][0][0] < limit:
            return woken
