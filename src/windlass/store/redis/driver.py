"""The Redis driver: a call is one script."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.msgpack import encode

from windlass.errors import AppClosed
from windlass.store.driver import News
from windlass.store.operation import Answer, Call, Lane
from windlass.store.redis.address import connection_pool, shown
from windlass.store.redis.failure import not_storable
from windlass.store.redis.scripts import load_scripts
from windlass.store.redis.wire import Wire


class RedisDriver:
    """Carries out calls on one server, from any thread.

    Connects at the first call. All keys begin with ``{tag}:``, so they share one slot of a cluster. ``now`` replaces
    the server's clock (milliseconds since 1970) in tests, ``deadline`` is how many seconds a call may wait for it.
    """

    cycle_limit = 100

    def __init__(self, url: str, *, tag: str, now: Callable[[], int] | None, deadline: float) -> None:
        self._name = shown(url)
        self._prefix = f"{{{tag}}}:"
        self._now = now
        self._scripts = load_scripts()
        self._wire = Wire(connection_pool(url, deadline=deadline), where=self._name, deadline=deadline)
        self._is_closed = False

    @property
    def name(self) -> str:
        return self._name

    def execute(self, call: Call) -> Answer:
        if self._is_closed:
            raise AppClosed(f"{self._name}: the store is closed")
        script = self._scripts.get(call.name)
        if script is None:
            raise NotImplementedError(f"the Redis store cannot carry out the call {call.name!r} yet")
        keys = [self._prefix + key for key in script.keys]
        parts = self._wire.run(script, keys, self._arguments(call), writes=call.lane is not Lane.READ)
        # A script returns the parts of its answer as name, rows, name, rows: the order of a Lua table is not kept.
        return dict(zip(parts[::2], parts[1::2], strict=True))

    def listen(self, wake: Callable[[], None]) -> News:  # silent until the store sends news
        return _Silence()

    def migrate(self) -> list[str]:
        return []

    def close(self) -> None:
        self._is_closed = True
        self._wire.close()

    def _arguments(self, call: Call) -> tuple[bytes, ...]:
        now = b"" if self._now is None else str(self._now()).encode()
        return now, self._prefix.encode(), self._packed(call.params)

    def _packed(self, params: Any) -> bytes:
        try:
            return encode(params)
        except (UnicodeError, OverflowError, ValueError) as error:
            raise not_storable(error, self._name) from error


class _Silence:
    """Tells nothing; polling finds what there is."""

    def close(self) -> None:
        return
