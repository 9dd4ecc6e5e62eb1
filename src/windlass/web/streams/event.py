"""One event of the stream of the API, and who wants it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec


@dataclass(frozen=True, slots=True)
class Change:
    """Something that has changed: as it is now."""

    topic: str
    data: Mapping[str, object]
    queue: str | None = None
    task: str | None = None


@dataclass(frozen=True, slots=True)
class Interest:
    """What a client listens to; an empty set of queues or tasks means all."""

    topics: frozenset[str]
    queues: frozenset[str] = frozenset()
    tasks: frozenset[str] = frozenset()

    def wants(self, change: Change) -> bool:
        """Whether it is told of this; what belongs to no queue, or no task, passes a filter of queues, or tasks."""
        return (
            (not change.topic or change.topic in self.topics)
            and (not self.queues or change.queue is None or change.queue in self.queues)
            and (not self.tasks or change.task is None or change.task in self.tasks)
        )


def sse(event: str, data: Mapping[str, object], *, id: str | None = None) -> bytes:
    """An event as it is sent.

    >>> sse("job", {"id": "a"}, id="x-1")
    b'id: x-1\\nevent: job\\ndata: {"id":"a"}\\n\\n'
    """
    head = "" if id is None else f"id: {id}\n"
    return b"%sevent: %s\ndata: %s\n\n" % (head.encode(), event.encode(), msgspec.json.encode(data))
