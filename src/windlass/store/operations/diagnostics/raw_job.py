"""What a store holds of one job, under the names of its own columns or fields."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from windlass.store.answers import records
from windlass.store.operation import Call, Lane, Operation


class RawRecord(Struct, frozen=True, array_like=True):
    """A row of a table, or a key of Redis."""

    place: str
    """The table, or the key."""
    body: dict[str, Any] | list[Any]
    """Values by name; Redis gives names and values by turns."""

    @property
    def fields(self) -> dict[str, Any]:
        if isinstance(self.body, dict):
            return self.body
        return dict(zip(self.body[::2], self.body[1::2], strict=True))


def raw_job(id: str) -> Operation[list[RawRecord]]:
    """Everything that is kept of a job in one place or another; nothing where there is no such job.

    Tags, events, steps and the jobs that it waits for, of which there may be many, are not among it.
    """
    answer = yield Call("raw_job", {"id": id}, Lane.READ)
    return records(answer["records"], RawRecord)
