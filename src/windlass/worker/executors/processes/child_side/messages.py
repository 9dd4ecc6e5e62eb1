"""The messages between a worker and its child."""

from __future__ import annotations

import os
import struct
from multiprocessing.connection import Connection
from threading import Lock, get_ident
from typing import Any

import msgspec
from msgspec import Struct

from windlass.core.outcome import Outcome
from windlass.core.records import Claimed


class RunJob(Struct, frozen=True, array_like=True, tag="order"):
    """Run this job."""

    job: Claimed
    module: str
    qualname: str
    """Where the task is found; declared by user code, never read from the store."""
    claimed: float
    """When the job came from the store, on the monotonic clock, which all processes of a machine share."""


class ReleaseWaiting(Struct, frozen=True, array_like=True, tag="recall"):
    """Release the jobs that have not begun."""


class Exit(Struct, frozen=True, array_like=True, tag="leave"):
    """Exit after the jobs in the inbox."""


class StoreAnswer(Struct, frozen=True, array_like=True, tag="stored"):
    """What the store has answered to a call that the worker made for a run; None where it has not."""

    number: int
    answer: dict[str, Any] | None
    error: str = ""
    is_away: bool = False
    """Whether the store could not be reached."""


class RunDone(Struct, frozen=True, array_like=True, tag="answered"):
    """The outcome of a run; the times are on the monotonic clock, which all processes of a machine share."""

    seq: int
    started: float | None
    outcome: Outcome


class Released(Struct, frozen=True, array_like=True, tag="recalled"):
    """These jobs have not begun and are released."""

    seqs: list[int]


class Progressed(Struct, frozen=True, array_like=True, tag="progressed"):
    """How far a run is."""

    seq: int
    value: float | None
    text: str | None


class StoreCall(Struct, frozen=True, array_like=True, tag="asked"):
    """Make this call to the store for a run."""

    seq: int
    number: int
    """Of the question, for its answer."""
    name: str
    params: dict[str, Any]
    lane: str


class Ready(Struct, frozen=True, array_like=True, tag="ready"):
    """The child is up."""


ToChild = RunJob | ReleaseWaiting | Exit | StoreAnswer
FromChild = Ready | RunDone | Released | Progressed | StoreCall

_encoder = msgspec.msgpack.Encoder()
_to_child = msgspec.msgpack.Decoder(list[ToChild])
_from_child = msgspec.msgpack.Decoder(FromChild)

_LENGTH = struct.Struct("!i")
"""The header that ``Connection.send_bytes`` writes before a message below 2 GiB."""
_READ_AT_ONCE = 1 << 17


def encode_orders(messages: list[ToChild]) -> bytes:
    """Encode messages as ``Connection.recv_bytes`` expects them."""
    return _framed(_encoder.encode(messages))


def receive_orders(pipe: Connection) -> list[ToChild]:
    """Wait for messages; raises ``EOFError`` when the worker is gone."""
    return _to_child.decode(pipe.recv_bytes())


def _framed(encoded: bytes) -> bytes:
    return _LENGTH.pack(len(encoded)) + encoded


class Answers:
    """The child's end of the pipe to its worker; may be used from several threads.

    A job's own signal handler may raise while a message is written, or send another one. The rest of the message is
    kept then and written before the next one: after half a message the worker could read nothing more.
    """

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._lock = Lock()
        self._unwritten = b""
        self._writer: int | None = None
        """The thread that writes."""

    def send(self, message: FromChild) -> None:
        framed, thread = _framed(_encoder.encode(message)), get_ident()
        if self._writer == thread:  # a signal handler, on top of a message that is being written
            self._unwritten += framed
            return
        with self._lock:
            self._writer = thread
            try:
                self._unwritten += framed
                self._write()
            finally:
                self._writer = None

    def _write(self) -> None:
        file = self._pipe.fileno()
        while self._unwritten:
            # Python runs signal handlers after a call; a ``for`` statement stores what was written before that.
            for written in map(os.write, (file,), (self._unwritten,)):
                self._unwritten = self._unwritten[written:]


class AnswerReader:
    """The worker's end of that pipe: reads whatever has come at once. Half a message is kept until the rest comes, so a
    child that is killed while it writes holds no reader up.
    """

    def __init__(self, file: int) -> None:
        self._file = file
        self._rest = b""

    def read(self) -> list[FromChild]:
        """The messages that have come; raises ``EOFError`` when the child is gone."""
        data = os.read(self._file, _READ_AT_ONCE)
        if not data:
            raise EOFError
        data, answers, at = self._rest + data, [], 0
        while len(data) - at >= _LENGTH.size:
            end = at + _LENGTH.size + _LENGTH.unpack_from(data, at)[0]
            if end > len(data):
                break
            answers.append(_from_child.decode(memoryview(data)[at + _LENGTH.size : end]))
            at = end
        self._rest = data[at:]
        return answers
