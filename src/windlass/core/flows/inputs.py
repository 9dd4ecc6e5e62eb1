"""Calls that get results of other jobs as arguments.

Their payload says which, and is filled in before the run. It is one of format 2: ``{"v": 2, "args": [...], "kwargs":
{...}, "inputs": {...}}``. Releases that do not know it leave the job to others. Results are put in as the JSON that is
stored, so nothing is decoded that no task asked for.

The callback of a group has a payload of format 3, in which a reference stands for the results of its members: they may
be too many for one payload, so the task reads them page by page.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Raw, Struct

from windlass.core.codec.stored_text.jsontext import to_json
from windlass.core.codec.stored_text.seal import seal, unseal
from windlass.core.codec.types.group_results import GroupResults, results_json
from windlass.errors import PayloadError

_START = '{"v":2,'
_START_WITH_GROUP = '{"v":3,"args":'
NOTHING = b"null"
"""The result of a job that returned nothing."""


class Inputs(Struct, frozen=True):
    """Whose results a call gets, and where."""

    parent: str | None = None
    """The id of the only one; None stands for all parents of the job, as a list in their order."""
    into: str | None = None
    """The name of the argument; None for the first one."""


class _Call(Struct):
    v: int
    args: Raw
    kwargs: Raw


class _CallWithInputs(_Call):
    inputs: Inputs


class _Parts(Struct):
    v: int
    args: list[Raw]
    kwargs: dict[str, Raw]


class _PartsWithInputs(_Parts):
    inputs: Inputs


class _Refused(Struct):
    v: int
    refused: str


_REFUSED = msgspec.json.Decoder(_Refused)
_CALL = msgspec.json.Decoder(_Call)
_PLAIN_PARTS = msgspec.json.Decoder(_Parts)
_PARTS = msgspec.json.Decoder(_PartsWithInputs)


def has_inputs(payload: str) -> bool:
    """Whether results are to be put into this call before it can run."""
    return inputs_of(payload) is not None


def with_inputs(payload: str, inputs: Inputs) -> str:
    """The payload of a call that gets these results as well."""
    call = _CALL.decode(unseal(payload))
    return seal(to_json(_CallWithInputs(2, call.args, call.kwargs, inputs)))


def with_group(payload: str, results: GroupResults, into: str | None) -> str:
    """The payload of a call that gets the results of a group as well."""
    parts = _PLAIN_PARTS.decode(unseal(payload))
    _put_in(parts, into, results_json(results))
    return seal(to_json(_Parts(3, parts.args, parts.kwargs)))


def has_group(payload: str) -> bool:
    """Whether the call gets the results of a group."""
    return payload.startswith(_START_WITH_GROUP)


def inputs_of(payload: str) -> Inputs | None:
    """Which results this call gets; None if it gets none, or cannot be read."""
    if not payload.startswith(_START):
        return None
    try:
        return _parts(payload).inputs
    except PayloadError:
        return None


def filled(payload: str, value: bytes) -> str:
    """The payload with a value, in JSON, where the call wants it."""
    parts = _parts(payload)
    _put_in(parts, parts.inputs.into, value)
    return seal(to_json(_Parts(1, parts.args, parts.kwargs)))


def _put_in(parts: _Parts, into: str | None, value: bytes) -> None:
    if into is None:
        parts.args.insert(0, Raw(value))
    else:
        parts.kwargs[into] = Raw(value)


def refused(why: str) -> str:
    """The payload of a call that cannot be filled: it cannot be decoded, and ``refusal_of`` says why."""
    return seal(to_json(_Refused(1, why)))


def refusal_of(payload: str) -> str | None:
    """Why a call was not filled; None if that is not the reason why it cannot be decoded."""
    try:
        return _REFUSED.decode(unseal(payload)).refused
    except (msgspec.MsgspecError, PayloadError):
        return None


def list_of(values: Sequence[bytes]) -> bytes:
    """Several values as one."""
    return b"[" + b",".join(values) + b"]"


def value_of_result(result: str | None) -> bytes:
    """A stored result as a value."""
    return NOTHING if result is None else unseal(result)


def _parts(payload: str) -> _PartsWithInputs:
    try:
        return _PARTS.decode(unseal(payload))
    except msgspec.MsgspecError as error:
        raise PayloadError(f"not valid stored JSON: {error}") from error
