"""The outermost form of a stored call."""

from __future__ import annotations

import msgspec

from windlass.core.codec.stored_text.jsontext import parse
from windlass.errors import PayloadError

FORMAT = 1
WITH_INPUTS = 2
"""A call that gets results of other jobs as well (``core/flows/inputs.py``)."""
WITH_GROUP = 3
"""A call that gets the results of a group: like the first, with a value that earlier releases cannot read."""


class NewerFormat(PayloadError):
    """A later version of Windlass wrote this; leave it to workers that can read it."""


class Envelope(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """``{"v": 1, "args": [...], "kwargs": {...}}``, with its values in JSON form."""

    v: int
    args: list[object]
    kwargs: dict[str, object]


class _Versioned(msgspec.Struct, gc=False):
    v: int


class _CallWithInputs(Envelope, forbid_unknown_fields=True, gc=False):
    inputs: dict[str, object]


_ENVELOPE = msgspec.json.Decoder(Envelope)
_CALL_WITH_INPUTS = msgspec.json.Decoder(_CallWithInputs)
_VERSIONED = msgspec.json.Decoder(_Versioned)


def read_envelope(text: str) -> Envelope:
    """Raise NewerFormat for a version above ours, whatever else it holds, and PayloadError for anything wrong."""
    try:
        envelope = parse(text, _ENVELOPE)
    except PayloadError:
        # It may be valid in a newer version.
        if (version := parse(text, _VERSIONED).v) == WITH_INPUTS:
            return _without_inputs(text)
        _require_ours(version)
        raise
    _require_ours(envelope.v)
    return envelope


def _without_inputs(text: str) -> Envelope:
    """What the call was given by its caller."""
    try:
        call = parse(text, _CALL_WITH_INPUTS)
    except PayloadError:
        raise NewerFormat(f"payload format {WITH_INPUTS} without inputs is newer than {FORMAT}") from None
    return Envelope(FORMAT, call.args, call.kwargs)


def _require_ours(version: int) -> None:
    if version == WITH_GROUP:
        return
    if version > FORMAT:
        raise NewerFormat(f"payload format {version} is newer than {FORMAT}, the newest that is read here")
    if version < FORMAT:
        raise PayloadError(f"payload format {version} does not exist; the first is 1")
