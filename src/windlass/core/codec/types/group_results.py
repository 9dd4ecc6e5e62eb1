"""A reference to the results of a group, which stands in a call where they belong."""

from __future__ import annotations

from dataclasses import dataclass

from windlass.core.codec.rejection import Rejection
from windlass.core.codec.stored_text.jsontext import to_json
from windlass.core.codec.tags import TAG, Members

RESULTS_TAG = "group_results"


@dataclass(frozen=True, slots=True)
class GroupResults:
    """The results of the members of a group, in order."""

    of: str
    """The id of the group's callback."""
    size: int
    """How many members it had when it was stored; more may have been added."""


def write_results(results: GroupResults) -> Members:
    return {"of": results.of, "size": results.size}


def read_results(members: Members) -> GroupResults:
    if members.keys() != {"of", "size"} or type(members["of"]) is not str or type(members["size"]) is not int:
        raise Rejection("the results of a group have an id and a size")
    return GroupResults(members["of"], members["size"])


def results_json(results: GroupResults) -> bytes:
    """As a value of a call."""
    return to_json({TAG: RESULTS_TAG, **write_results(results)})
