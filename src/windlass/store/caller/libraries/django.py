"""Django: ``connection`` or one of its ``connections``."""

from __future__ import annotations

from typing import Any, Protocol

from windlass.errors import StoreUnavailable
from windlass.store.caller.adopt import channel_of
from windlass.store.caller.channel import Channel, Values
from windlass.store.caller.script import Reply


class _Connection(Protocol):
    vendor: str
    connection: Any
    needs_rollback: bool

    def ensure_connection(self) -> None: ...


class DjangoChannel(Channel):
    """Works on the connection that Django has open at the moment, below its log of queries."""

    def __init__(self, connection: _Connection) -> None:
        self._connection = connection
        self.database = connection.vendor

    def query(self, text: str, values: Values) -> Reply:
        return self._inner().query(text, values)

    def raw(self) -> object:
        return self._inner().raw()

    def _inner(self) -> Channel:
        if self._connection.needs_rollback:
            raise StoreUnavailable("an error has broken this atomic() block before; it can only be rolled back")
        self._connection.ensure_connection()
        inner = channel_of(self._connection.connection)
        assert isinstance(inner, Channel)  # Django has no other
        return inner
