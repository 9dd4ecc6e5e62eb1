"""The route, and what may be asked of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

from msgspec import Meta, Struct

from windlass.web.problems import bad_input
from windlass.web.route import PREFIX, Call, Route
from windlass.web.security.roles import Role
from windlass.web.streams.changes import FEEDS, Changes
from windlass.web.streams.event import Interest, sse
from windlass.web.streams.reader import LONGEST, Listening
from windlass.web.streams.response import STILL_HERE, EventStream
from windlass.web.streams.streams import Streams, streams_here

_RETRY = 2000
"""Milliseconds after which a client comes back."""


class StreamQuery(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What to listen to; several topics, queues or tasks with commas between them."""

    topics: str = ",".join(FEEDS)
    queue: str | None = None
    task: str | None = None
    seconds: Annotated[float, Meta(ge=0, le=LONGEST)] = LONGEST
    """After so many seconds the stream ends; the client comes back."""


async def stream(call: Call[StreamQuery, None]) -> EventStream:
    """Server-sent events about jobs, queues, workers, schedules and alerts, as they change."""
    interest = Interest(_topics(call.query.topics), _names(call.query.queue), _names(call.query.task))
    streams = streams_here()
    changes = streams.reader((Changes, call.app), lambda: Changes(call.app))
    last = call.request.headers.get("last-event-id", "")
    events = _events(streams, changes, interest, last=last, seconds=call.query.seconds)
    return EventStream(events, streams=streams)


async def _events(
    streams: Streams, changes: Changes, interest: Interest, *, last: str, seconds: float
) -> AsyncIterator[bytes]:
    ring = changes.ring
    position = ring.position(last) if last else ring.last
    with changes.listening(interest.topics) as reader:
        await changes.baseline(interest.topics, streams)
        if position is None or not last:
            position = ring.last
        here = ring.id_of(position)
        yield f"retry: {_RETRY}\n".encode() + sse("open", {"topics": sorted(interest.topics)}, id=here)
        if last and ring.position(last) is None:
            yield sse("reset", {"reason": "the last event is not one of this process; read anew what you show"})
        listening = Listening(reader, streams, seconds=seconds)
        while (is_new := await listening.news()) is not None:
            found, position = ring.since(position, interest), ring.last
            if found.lost:
                yield sse("gap", {"lost": found.lost}) + found.text
            elif found.text:
                yield found.text
            elif not is_new:
                yield STILL_HERE.encode() + _here(changes)


def _here(changes: Changes) -> bytes:
    """An event without data: it only tells the client how far it is."""
    return f"id: {changes.ring.id_of(changes.ring.last)}\n\n".encode()


def _topics(text: str) -> frozenset[str]:
    topics = _names(text)
    unknown = sorted(topics - FEEDS.keys())
    if unknown or not topics:
        named = ", ".join(unknown) or "none"
        raise bad_input(f"topics must be some of {', '.join(FEEDS)}, got {named}", field="topics")
    return topics


def _names(text: str | None) -> frozenset[str]:
    return frozenset(part for part in (text or "").split(",") if part)


ROUTES = (
    Route(
        method="GET",
        path=f"{PREFIX}/stream",
        handler=stream,
        summary="Jobs, queues, workers, schedules and alerts as they change, as server-sent events.",
        topic="Stream",
        role=Role.VIEWER,
        query=StreamQuery,
        answer=EventStream,
    ),
)
