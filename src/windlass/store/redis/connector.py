"""Makes connections to a server that was found and checked."""

from __future__ import annotations

from redis.exceptions import MovedError, RedisError

from windlass.store.connection.circuit_breaker import fair_deadline
from windlass.store.redis.address import Address
from windlass.store.redis.connection import Connection, safe_to_repeat
from windlass.store.redis.errors import not_connected
from windlass.store.redis.routing import route_to
from windlass.store.redis.server import Inspection


class Connector:
    """Finds the server behind an address, for keys that begin with ``prefix``, and connects to it."""

    def __init__(self, address: Address, *, prefix: str, inspection: Inspection) -> None:
        self._name = address.name
        self._route = route_to(address, prefix=prefix)
        self._inspection = inspection

    def connect(self, until: float) -> Connection:
        """A new connection to a server that has been checked."""
        until = fair_deadline(until)
        connection: Connection | None = None
        try:
            connection = Connection(self._route.connection(until=until))
            connection.until = until
            with safe_to_repeat():
                connection.connect()
                self._inspection.pass_or_raise(connection.read_server())
        except BaseException as error:
            self._route.forget()
            if connection is not None:
                connection.close()
            if isinstance(error, RedisError):
                raise self._inspection.judged(not_connected(error, self._name)) from error
            raise
        return connection

    def discard(self, connection: Connection) -> None:
        connection.close()

    def look_elsewhere(self, error: RedisError) -> None:
        """The server says that it is not the right one any more, and perhaps which one is."""
        self._route.forget()
        if isinstance(error, MovedError):
            self._route.moved(error)
