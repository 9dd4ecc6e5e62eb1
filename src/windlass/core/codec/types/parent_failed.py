"""What a task gets in place of a result where the job that it waited for did not complete."""

from __future__ import annotations

from dataclasses import dataclass

from windlass.core.codec.rejection import Rejection
from windlass.core.codec.stored_text.jsontext import to_json
from windlass.core.codec.tags import TAG, Members

FAILED_TAG = "parent_failed"


@dataclass(frozen=True, slots=True)
class ParentFailed:
    """Stands in place of a result: the job that should have given it did not complete (``on_parent_failure="run"``).

    >>> ParentFailed("01J", state="failed", type="ValueError", message="no such page")
    ParentFailed(id='01J', state='failed', reason=None, type='ValueError', message='no such page')
    """

    id: str
    """Of that job."""
    state: str
    """How it ended: failed, cancelled or deleted; unfinished where this job was started by hand before."""
    reason: str | None = None
    type: str | None = None
    """The class of what its last attempt raised, as text."""
    message: str | None = None


def write_failure(failure: ParentFailed) -> Members:
    return {
        "id": failure.id,
        "state": failure.state,
        "reason": failure.reason,
        "type": failure.type,
        "message": failure.message,
    }


def read_failure(members: Members) -> ParentFailed:
    try:
        return ParentFailed(**members)  # type: ignore[arg-type]  # checked below
    except TypeError as error:
        raise Rejection("a failed parent has an id and a state") from error


def failure_json(failure: ParentFailed) -> bytes:
    """As a value of a call."""
    return to_json({TAG: FAILED_TAG, **write_failure(failure)})
