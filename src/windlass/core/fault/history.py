"""The faults of a job; their number is bounded however often it fails."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from windlass.core.codec import seal, unseal
from windlass.core.fault.fault import Fault
from windlass.errors import PayloadError

_NEWEST = 19


class Faults(Struct, frozen=True):
    """The first fault of a job and the newest, oldest first."""

    left_out: int = 0
    """How many there were between the first and the others."""
    faults: tuple[Fault, ...] = ()
    log: str = ""
    """The log of the attempt that returned, if its task keeps it."""
    corrupt: bool = False
    """The stored text could not be read."""


class _Stored(Struct, frozen=True, omit_defaults=True):
    left_out: int
    faults: tuple[Fault, ...]
    log: str = ""


_DECODER = msgspec.json.Decoder(_Stored)


def add_fault(history: str | None, fault: Fault) -> str:
    """The new history: the first fault, the newest 19, and how many were left out. A corrupt history is replaced."""
    past = read_faults(history)
    first, *rest = *past.faults, fault
    newest = rest[-_NEWEST:]
    stored = _Stored(past.left_out + len(rest) - len(newest), (first, *newest))
    return seal(msgspec.json.encode(stored))


def add_log(history: str | None, log: str) -> str:
    """The new history after an attempt that returned."""
    past = read_faults(history)
    return seal(msgspec.json.encode(_Stored(past.left_out, past.faults, log)))


def read_faults(text: str | None) -> Faults:
    """Never raises: a text that cannot be read is an empty history with ``corrupt`` set."""
    if text is None:
        return Faults()
    try:
        stored = _DECODER.decode(unseal(text))
    except (msgspec.MsgspecError, PayloadError, ValueError, RecursionError):
        return Faults(corrupt=True)
    return Faults(stored.left_out, stored.faults, stored.log)
