"""Epochs: fences never repeat, even when a server loses its last second.

A fence is made of an epoch and a number. The epoch rises with every restart of the server and every change of the
primary; a process asks for it whenever it meets a server that it does not know, and every script that writes refuses
a caller of another epoch. ``KEYS.md`` says why that is enough.
"""

from __future__ import annotations

import logging
from threading import Lock

from msgspec import Struct
from msgspec.msgpack import encode
from redis.exceptions import ResponseError

from windlass.store.redis.connection import Connection, safe_to_repeat
from windlass.store.redis.scripts import Script

log = logging.getLogger("windlass.store")


_NONE = 0
"""In no epoch: a script that asks for one refuses it."""


class OtherEpoch(Exception):
    """The store is in another epoch than the caller; nothing was written."""

    def __init__(self, stored: int) -> None:
        super().__init__(stored)
        self.stored = stored


class _Known(Struct, frozen=True):
    identity: str
    epoch: int


class Epoch:
    """The epoch in which this process works, as far as it knows."""

    def __init__(self, begin: Script, *, name: str, prefix: str) -> None:
        self._begin_script = begin
        self._name = name
        self._prefix = prefix
        self._known: _Known | None = None
        self._is_seen = False
        """Whether a call that only reads has found the store."""
        self._lock = Lock()

    def on(self, connection: Connection) -> int:
        """The epoch for a call to this server."""
        known = self._known
        if known is not None and known.identity == connection.server.identity:
            return known.epoch
        with safe_to_repeat():
            if known is None:
                return self._begin(connection, known, has_lost_data=False)
            # A connection may be older than a change of the server's lineage that other processes have reported.
            if connection.read_server().identity == known.identity:
                return known.epoch
            is_empty = not connection.ask("HGET", f"{self._prefix}epoch", "epoch")
            return self._begin(connection, known, has_lost_data=is_empty)

    def of_reader(self, connection: Connection) -> int | None:
        """The epoch for a call that only reads, which begins none; None where no process has begun one.

        Scripts that only read do not ask for it.
        """
        if self._known is not None:
            return self.on(connection)
        self._is_seen = self._is_seen or self.has_begun(connection)
        return _NONE if self._is_seen else None

    def has_begun(self, connection: Connection) -> bool:
        """Whether any process has begun an epoch here, which the first call that writes does."""
        with safe_to_repeat():
            return bool(connection.ask("EXISTS", f"{self._prefix}epoch"))

    def renew(self, connection: Connection, other: OtherEpoch, *, refused: int) -> int:
        """The epoch after a script has refused the one that we had."""
        known = self._known
        if known is not None and known.epoch != refused:
            return known.epoch  # another thread has asked since
        with safe_to_repeat():
            identity = connection.read_server().identity
            # The epoch of a server that has neither been restarted nor changed its role stays, unless its data went.
            has_lost_data = known is not None and (other.stored == 0 or identity == known.identity)
            return self._begin(connection, known, has_lost_data=has_lost_data)

    def _begin(self, connection: Connection, known: _Known | None, *, has_lost_data: bool) -> int:
        believed = str(known.epoch if known else 0)
        params = encode({"run_id": connection.server.identity, "has_lost": has_lost_data})
        answer = connection.run(self._begin_script, b"", self._prefix, believed, params)
        [[epoch]] = dict(zip(answer[::2], answer[1::2], strict=True))["epoch"]
        with self._lock:
            is_first_to_know, self._known = self._known == known, _Known(connection.server.identity, int(epoch))
        if has_lost_data and is_first_to_know:
            log.error(
                "%s: the store has lost its jobs: it was emptied (FLUSHALL, FLUSHDB), or the server came back "
                "without its data. Going on with the empty store; what ran is not recorded",
                self._name,
            )
        return int(epoch)


def other_epoch(error: ResponseError) -> OtherEpoch | None:
    """What a script says about its epoch, if that is why it was refused."""
    word, _, stored = str(error).partition(" ")
    return OtherEpoch(int(stored.split()[0])) if word == "EPOCH" else None
