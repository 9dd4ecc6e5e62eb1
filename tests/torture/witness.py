"""What tasks and callers saw, as lines of one file that only grows: the rack judges by them, not by the product's word.

A line is written by one ``write`` to a descriptor with O_APPEND, which is opened once: lines of all processes stay
whole, also of those that are killed or may open no more files. Instants are those of CLOCK_MONOTONIC, which all
processes of a machine share.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import msgspec
from msgspec import Struct

FILE = "witness.jsonl"


class Began(Struct, tag=True, frozen=True):
    """User code of a job began."""

    job: str
    fence: int
    attempt: int
    pid: int
    at: float


class Ended(Struct, tag=True, frozen=True):
    """User code of a job came to its end."""

    job: str
    fence: int
    pid: int
    at: float
    how: str
    """``returned``, or the name of the exception that went through."""


class Dying(Struct, tag=True, frozen=True):
    """A poisonous job is about to take its process down."""

    job: str
    fence: int
    pid: int
    at: float


class Alive(Struct, tag=True, frozen=True):
    """A process had its turn; it says so twice a second."""

    pid: int
    parent: int
    at: float


class Asked(Struct, tag=True, frozen=True):
    """A caller is about to enqueue jobs with these ids."""

    ids: list[str]
    at: float


class Acked(Struct, tag=True, frozen=True):
    """The jobs are stored, says the call; ``found`` are those that were there already."""

    ids: list[str]
    at: float


class Refused(Struct, tag=True, frozen=True):
    """The jobs are not stored, says the call."""

    ids: list[str]
    at: float
    why: str


class Unsure(Struct, tag=True, frozen=True):
    """The call could not tell, or was interrupted: the jobs may be stored or not."""

    ids: list[str]
    at: float


class Duplicate(Struct, tag=True, frozen=True):
    """The call found a job that holds the unique key."""

    id: str
    of: str
    at: float


class KeyHeld(Struct, tag=True, frozen=True):
    """A unique key was still held by a job that the caller had seen to be finished before it asked."""

    id: str
    of: str
    at: float


class Saw(Struct, tag=True, frozen=True):
    """Somebody waited for a job and was told how it ended."""

    job: str
    state: str
    fence: int | None
    """Of the run whose result it was given."""
    at: float


class CancelAsked(Struct, tag=True, frozen=True):
    """A cancel is about to be asked for; the call may fail and the cancel be taken all the same."""

    job: str
    at: float


class CancelAccepted(Struct, tag=True, frozen=True):
    """A cancel was taken; no claim of the job may come after the fence that it had then."""

    job: str
    fence: int
    at: float


class Fired(Struct, tag=True, frozen=True):
    """A run of a job that a schedule has made says for which slot."""

    job: str
    schedule: str
    slot: int
    """Milliseconds since 1970."""
    at: float


class Token(Struct, tag=True, frozen=True):
    """A token of the limit that all share was asked for, and given at some time until ``at``."""

    to: str
    asked: float
    at: float


class Passed(Struct, tag=True, frozen=True):
    """A run was given the result of a job that it waited for."""

    job: str
    fence: int
    parent: str
    given: int | None
    """The fence in that result."""
    at: float


class Stepped(Struct, tag=True, frozen=True):
    """The code of a durable step ran."""

    job: str
    step: str
    fence: int
    value: str
    at: float


class Kept(Struct, tag=True, frozen=True):
    """A run went on with what a step gave, or an event; ``timeout`` where none came."""

    job: str
    step: str
    fence: int
    value: str
    at: float


class Sent(Struct, tag=True, frozen=True):
    """An event was sent to a job, says the call."""

    job: str
    to: str
    at: float


class Leased(Struct, tag=True, frozen=True):
    """A job was claimed over HTTP, or its lease extended, for so many seconds; the call was first sent at ``asked``."""

    job: str
    fence: int
    asked: float
    seconds: float
    at: float


class Answered(Struct, tag=True, frozen=True):
    """What a call about a job over HTTP was answered with; a claim names no job."""

    job: str
    fence: int
    verb: str
    status: int
    title: str
    """Of the problem, if it is one."""
    asked: float
    at: float


OfRun = Began | Ended | Dying | Alive | Fired | Token | Passed | Stepped | Kept | Sent | Leased | Answered
OfCaller = Asked | Acked | Refused | Unsure | Duplicate | KeyHeld | Saw | CancelAsked | CancelAccepted
Line = OfRun | OfCaller

_DECODER: msgspec.json.Decoder[Line] = msgspec.json.Decoder(Line)


class Witness:
    """Writes lines; may be used by any thread."""

    def __init__(self, folder: Path) -> None:
        self._file = os.open(folder / FILE, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)

    def write(self, line: Line) -> None:
        os.write(self._file, msgspec.json.encode(line) + b"\n")

    def close(self) -> None:
        os.close(self._file)


def now() -> float:
    return round(monotonic(), 4)


class Reader:
    """Reads what has come since the last time."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._read = 0

    def new(self) -> Iterator[Line]:
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            file.seek(self._read)
            for line in file:
                if not line.endswith(b"\n"):  # it is being written
                    return
                self._read += len(line)
                yield _DECODER.decode(line)
