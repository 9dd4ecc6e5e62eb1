"""Puts texts in the place of others that say the same: encrypted anew, or for the first time."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import astuple

from windlass.store.operation import Call, Operation


class NewTexts(Struct, frozen=True, array_like=True):
    """Other texts of one job, each beside the one that it replaces; None where it stays."""

    seq: int
    old_payload: str | None = None
    payload: str | None = None
    old_meta: str | None = None
    meta: str | None = None
    old_result: str | None = None
    result: str | None = None
    old_errors: str | None = None
    errors: str | None = None
    old_progress: str | None = None
    progress: str | None = None


class NewStepText(Struct, frozen=True, array_like=True):
    """Another text for what a step has recorded."""

    seq: int
    name: str
    old: str
    new: str


class NewEventText(Struct, frozen=True, array_like=True):
    """Another text for the value of an event."""

    name: str
    old: str
    new: str


def rekey(
    texts: Sequence[NewTexts] = (), steps: Sequence[NewStepText] = (), events: Sequence[NewEventText] = ()
) -> Operation[None]:
    """Replace texts, each only if it is still the old one; what another call has in hand is passed by.

    A repeat changes nothing. What was not replaced has to be read again.
    """
    params = {"texts": texts, "steps": steps, "events": events}
    yield Call("rekey", {name: [astuple(row) for row in rows] for name, rows in params.items()})
