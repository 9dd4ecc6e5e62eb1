"""Finds the server that takes writes: fixed address, sentinels, cluster."""

from __future__ import annotations

import codecs

# For names of hosts. Were it left to the thread that connects first, a child forked at that moment would never have it.
import encodings.idna  # noqa: F401
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

from redis.connection import AbstractConnection
from redis.crc import key_slot
from redis.exceptions import AuthenticationError, MovedError, RedisError

from windlass import clock
from windlass.store.connection.circuit_breaker import Away
from windlass.store.redis.address import LIBRARY, Address, Kind, Place
from windlass.store.redis.connection import Connection, NoReply

_PATIENCE = 1.0
"""How many seconds one of several places that know the way may take, so that a silent one does not hide the others."""

_UNREADABLE = "windlass-unreadable-text"


class Route(Protocol):
    """Knows the way to the server."""

    def connection(self, *, until: float) -> AbstractConnection:
        """A connection to it that is not made yet; ``Away``, or ``AuthenticationError`` if all who know refuse us."""

    def forget(self) -> None:
        """Ask again next time: what was found there is not what we need."""

    def moved(self, to: MovedError) -> None:
        """A node of the cluster said that another one has our keys."""


def route_to(address: Address, *, prefix: str) -> Route:
    """The way to the server behind an address, for keys that begin so."""
    match address.kind:
        case Kind.SERVER:
            return FixedRoute(address)
        case Kind.SENTINEL:
            return SentinelRoute(address)
        case Kind.CLUSTER:
            return ClusterRoute(address, slot=key_slot(prefix.encode()))


class FixedRoute:
    """One server at one place; behind its name another one may answer tomorrow."""

    def __init__(self, address: Address) -> None:
        self._address = address

    def connection(self, *, until: float) -> AbstractConnection:
        return _connection(self._address, self._address.options, *self._address.places)

    def forget(self) -> None:
        return

    def moved(self, to: MovedError) -> None:
        return


class SentinelRoute:
    """Asks the sentinels for the primary each time that a connection is needed: it may have changed."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._sentinels = address.places

    def connection(self, *, until: float) -> AbstractConnection:
        return _connection(self._address, self._address.options, self._primary(until))

    def forget(self) -> None:
        return

    def moved(self, to: MovedError) -> None:
        return

    def _primary(self, until: float) -> Place:
        why = f"no sentinel knows a primary called {self._address.service!r}"
        refusals = 0
        for sentinel in self._sentinels:
            try:
                with _asked(self._address, self._address.sentinel_options, sentinel, until=until) as connection:
                    place = connection.ask("SENTINEL", "GET-MASTER-ADDR-BY-NAME", self._address.service)
            except (RedisError, Away, NoReply) as error:
                why = f"the sentinel at {sentinel[0]}:{sentinel[1]} does not answer ({error})"
                refusals += isinstance(error, AuthenticationError)
                continue
            if place:
                # The one that answered is asked first the next time.
                self._sentinels = (sentinel, *(other for other in self._sentinels if other != sentinel))
                return str(place[0]), int(place[1])
        raise AuthenticationError(why) if refusals == len(self._sentinels) else Away(why)


class ClusterRoute:
    """Asks any node which of them has our slot, and remembers the answer until it proves wrong."""

    def __init__(self, address: Address, *, slot: int) -> None:
        self._address = address
        self._slot = slot
        self._nodes = address.places
        self._node: Place | None = None

    def connection(self, *, until: float) -> AbstractConnection:
        node = self._node
        if node is None:
            node = self._node = self._find(until)
        return _connection(self._address, self._address.options, node)

    def forget(self) -> None:
        self._node = None

    def moved(self, to: MovedError) -> None:
        if to.slot_id == self._slot and to.host:
            self._node = (to.host, to.port)

    def _find(self, until: float) -> Place:
        why = f"no node of the cluster has slot {self._slot}"
        nodes = dict.fromkeys((*self._nodes, *self._address.places))
        refusals = 0
        for node in nodes:
            try:
                with _asked(self._address, self._address.options, node, until=until) as connection:
                    slots = connection.ask("CLUSTER", "SLOTS")
            except (RedisError, Away, NoReply) as error:
                why = f"the node at {node[0]}:{node[1]} does not answer ({error})"
                refusals += isinstance(error, AuthenticationError)
                continue
            # A node that does not know its own address leaves it out: it is where we asked.
            owners = {(first, last): (owner[0] or node[0], int(owner[1])) for first, last, owner, *_ in slots}
            self._nodes = tuple(dict.fromkeys(owners.values())) or self._nodes
            for (first, last), owner in owners.items():
                if first <= self._slot <= last:
                    return owner
            why = f"no node of the cluster has slot {self._slot}"
        raise AuthenticationError(why) if refusals == len(nodes) else Away(why)


@contextmanager
def _asked(address: Address, options: Mapping[str, Any], place: Place, *, until: float) -> Iterator[Connection]:
    """A connection for one question."""
    connection = Connection(_connection(address, options, place))
    try:
        connection.until = clock.monotonic() + _PATIENCE
        connection.connect()
        connection.until = min(until, clock.monotonic() + _PATIENCE)
        yield connection
    finally:
        connection.close()


def _connection(address: Address, options: Mapping[str, Any], *places: Place) -> AbstractConnection:
    where: dict[str, Any] = {"host": places[0][0], "port": places[0][1]} if places else {}
    return address.connection_class(
        **options,
        **where,
        **LIBRARY,
        protocol=2,  # our scripts answer in plain lists, which RESP3 would not make any plainer
        decode_responses=True,
        # Bytes that are no UTF-8 in one job must not hide the others; that job fails later, by itself.
        encoding_errors=_UNREADABLE,
        # A cycle that is sent twice claims twice: only who knows the call may repeat it.
        retry=None,
        retry_on_timeout=False,
    )


def _made_unreadable(error: UnicodeError) -> tuple[str, int]:
    """A control character in the place of bytes that are no text: JSON must not have one, so that a damaged payload
    cannot pass for a sound one with other arguments.
    """
    assert isinstance(error, UnicodeDecodeError)
    return "\x01", error.end


codecs.register_error(_UNREADABLE, _made_unreadable)
