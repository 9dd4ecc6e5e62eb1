"""The faults of a job; their number is bounded however often it fails."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from windlass.core.codec import seal, unseal
from windlass.core.encryption.text import is_encrypted
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
    encrypted: bool = False
    """It is encrypted, and only what was added to it without its key is here."""


class _Stored(Struct, frozen=True, omit_defaults=True):
    left_out: int
    faults: tuple[Fault, ...]
    log: str = ""


_DECODER = msgspec.json.Decoder(_Stored)


def add_fault(history: str | None, fault: Fault) -> str:
    """The new history: the first fault, the newest 19, and how many were left out. A corrupt history is replaced.

    To one that is encrypted the fault is added in a second line, in clear: rescue needs no key, and knows no secrets.
    """
    if history is not None and is_encrypted(history):
        encrypted, _, added = history.partition("\n")
        return f"{encrypted}\n{add_fault(added or None, fault)}"
    past = read_faults(history)
    first, *rest = *past.faults, fault
    newest = rest[-_NEWEST:]
    stored = _Stored(past.left_out + len(rest) - len(newest), (first, *newest))
    return seal(msgspec.json.encode(stored))


def joined(history: str, added: str) -> str:
    """One history of two: ``added`` is the newer one."""
    for fault in read_faults(added).faults:
        history = add_fault(history, fault)
    return history


def add_log(history: str | None, log: str) -> str:
    """The new history after an attempt that returned."""
    past = read_faults(history)
    return seal(msgspec.json.encode(_Stored(past.left_out, past.faults, log)))


def read_faults(text: str | None) -> Faults:
    """Never raises: a text that cannot be read is an empty history with ``corrupt`` set."""
    if text is None:
        return Faults()
    if is_encrypted(text):
        added = text.partition("\n")[2]
        return Faults(faults=read_faults(added or None).faults, encrypted=True)
    try:
        stored = _DECODER.decode(unseal(text))
    except (msgspec.MsgspecError, PayloadError, ValueError, RecursionError):
        return Faults(corrupt=True)
    return Faults(stored.left_out, stored.faults, stored.log)
