"""The Redis driver: a call is one script."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any, TypeVar

from msgspec.msgpack import encode
from redis.exceptions import RedisError, ResponseError

from windlass import clock
from windlass.errors import AppClosed, ConfigError, StoreUnavailable
from windlass.forks import reset_in_child
from windlass.store.caller.joined import Joined
from windlass.store.connection.circuit_breaker import Away, CircuitBreaker
from windlass.store.connection.listener import NotificationListener
from windlass.store.connection.notifier import Notifier
from windlass.store.connection.pool import Pool
from windlass.store.driver import ALL_TOPICS, News, Topic, no_store
from windlass.store.on_demand import OnDemand
from windlass.store.operation import Answer, Call, Lane
from windlass.store.redis.address import parse_address
from windlass.store.redis.connection import Connection, NoReply
from windlass.store.redis.connector import Connector
from windlass.store.redis.epoch import Epoch, other_epoch
from windlass.store.redis.errors import code_of, no_reply, not_storable, overwritten, server_error
from windlass.store.redis.news import channels, subscribe
from windlass.store.redis.overwritten_keys import OverwrittenKeys
from windlass.store.redis.scripts import Script, load_scripts
from windlass.store.redis.server import Inspection

T = TypeVar("T")

_MOMENT = 1.0
"""How many seconds a notification may wait for a connection; later it is useless."""
_MOST = 2**63 - 1
"""The largest number that MessagePack, and so every other script, has room for."""
_NULL = b"\0"
"""Nothing, where parameters travel one by one (see ``shared/null.lua``)."""


class RedisDriver:
    """Carries out calls on one server, from any thread.

    Connects at the first call. All keys begin with ``{tag}:``, so they share one slot of a cluster. ``now`` replaces
    the server's clock (milliseconds since 1970) in tests, ``deadline`` is how many seconds a call may take in all.
    """

    cycle_limit = 100
    smallest_cycle = 40

    def __init__(self, url: str, *, tag: str, now: Callable[[], int] | None, deadline: float) -> None:
        self._address = parse_address(url)
        self._tag = tag
        self._prefix = prefix = f"{{{tag}}}:"
        self._now = now
        self._deadline = deadline
        scripts = load_scripts()
        self._scripts = OnDemand(scripts, lambda name: scripts[name].under(prefix))
        self._channels = channels(self._prefix)
        self._is_closed = False
        self._inspection = Inspection(self._address)
        self._breaker = CircuitBreaker(self.name)
        self._notifier = Notifier(self._publish)
        self._start()
        reset_in_child(self, RedisDriver._start)

    def _start(self) -> None:
        """Begin with no connection and nothing known; in a forked child, what the parent has stays the parent's.

        Dropping the parent's connections closes the child's copies of them, which the server does not notice.
        """
        self._connector = Connector(self._address, prefix=self._prefix, inspection=self._inspection)
        self._pool = Pool(self._connector, name=self.name, calls=self._address.pool)
        self._epoch = Epoch(self._scripts["begin_epoch"], name=self.name, prefix=self._prefix)
        self._overwritten_keys = OverwrittenKeys(name=self.name)

    @property
    def name(self) -> str:
        return self._address.name

    def store(self, call: Call) -> Answer:
        return self.execute(call)  # the scripts that store jobs notify of them

    def execute(self, call: Call) -> Answer:
        script = self._scripts.get(call.name)
        if script is None:
            raise NotImplementedError(f"the Redis store knows no call {call.name!r}")
        arguments = self._arguments(script, call)
        try:
            parts = self._reach(call.lane, lambda connection: self._in_epoch(connection, script, arguments, call.lane))
        except UnicodeError as error:
            raise not_storable(error, self.name) from error
        # A script returns the parts of its answer as name, rows, name, rows: the order of a Lua table is not kept.
        answer = dict(zip(parts[::2], parts[1::2], strict=True))
        if overwritten := answer.get("overwritten"):
            self._overwritten_keys.report(key for (key,) in overwritten)
        return answer

    def listen(
        self,
        heard: Callable[[Topic], None],
        *,
        filled: Callable[[str], None] | None = None,
        topics: Collection[Topic] = ALL_TOPICS,
    ) -> News:
        subscription = partial(subscribe, self._connector, prefix=self._prefix, patience=self._deadline)
        return NotificationListener(subscription, heard, filled=filled, topics=topics)

    def notify(self, topic: Topic) -> None:
        self._notifier.notify(topic)

    def join(self, connection: object) -> Joined:
        raise ConfigError(
            f"{self.name}: a Redis store cannot take part in a transaction of your database, so neither jobs nor the "
            "right to run them can be committed with it; enqueue after your commit, keep job.fence beside what you "
            "write and refuse a lower one, or keep the jobs in the database that the transaction is in (postgresql://, "
            "or sqlite:// with ?driver=stdlib)"
        )

    def exists(self) -> bool:
        return self._reach(Lane.READ, self._epoch.has_begun)

    def make(self) -> None:
        self._reach(Lane.WRITE, self._epoch.on)

    def migrate(self) -> list[str]:
        self.make()
        return []

    def migration_sql(self) -> str:
        return ""

    def facts(self) -> dict[str, str]:
        return {"store": "redis", **self._reach(Lane.READ, _facts)}

    def close(self) -> None:
        if not self._is_closed:
            self._notifier.close()
            self._is_closed = True
            self._pool.close()

    def _reach(self, lane: Lane, work: Callable[[Connection], T]) -> T:
        """What is done on a connection of this lane, again where it has not worked and may."""
        if self._is_closed:
            raise AppClosed(f"{self.name}: the store is closed")
        until = clock.monotonic() + self._deadline
        return self._breaker.reach(lambda: self._attempt(lane, work, until=until), deadline=self._deadline)

    def _attempt(self, lane: Lane, work: Callable[[Connection], T], *, until: float) -> T:
        """Do something on a connection, or raise ``Away`` where nothing happened and trying again may help."""

        def carry_out(connection: Connection) -> T:
            try:
                return work(connection)
            except NoReply as error:
                connection.close()
                raise no_reply(error, self.name, may_have_written=lane.writes) from error
            except RedisError as error:
                raise self._reaction(connection, error, may_have_written=lane.writes) from error

        return self._pool.use(lane, carry_out, until=until)

    def _in_epoch(self, connection: Connection, script: Script, arguments: Sequence[Any], lane: Lane) -> Any:
        epoch = self._epoch.on(connection) if lane.writes else self._epoch.of_reader(connection)
        if epoch is None:
            raise no_store(self.name, self._tag)
        while True:
            try:
                return connection.run(script, self._instant(), self._prefix, epoch, *arguments)
            except ResponseError as error:
                other = other_epoch(error)
                if other is None:
                    raise
                if clock.monotonic() >= connection.until:
                    raise StoreUnavailable(f"{self.name}: the server changes its epoch again and again") from error
            epoch = self._epoch.renew(connection, other, refused=epoch)

    def _reaction(self, connection: Connection, error: RedisError, *, may_have_written: bool) -> Exception:
        """What a refusal means for the caller; one that is about the server also means that we look for another."""
        if code_of(error) == "WRONGTYPE":
            return overwritten(self._find_overwritten_keys(connection), self.name, may_have_written=may_have_written)
        ours = server_error(error, self.name)
        if isinstance(ours, Away):
            self._connector.look_elsewhere(error)
            connection.close()
        return ours

    def _find_overwritten_keys(self, connection: Connection) -> list[tuple[str, str, str]]:
        """Which of our keys hold something else: each with its type and the right one."""
        connection.until = clock.monotonic() + _MOMENT
        try:
            _, rows = connection.run(self._scripts["overwritten_keys"], b"", self._prefix, b"", encode({}))
            return [(key, kind, right) for key, kind, right in rows]
        except (RedisError, NoReply, Away):
            return []  # the message names the trouble all the same

    def _publish(self, topic: Topic) -> None:
        """Send news. One who has just written has a connection, but another thread may be using it by now."""
        until = clock.monotonic() + _MOMENT
        command = ("PUBLISH", self._channels[topic], "")
        try:
            self._pool.use(Lane.WRITE, lambda connection: connection.ask(*command), until=until)
        except (RedisError, NoReply, Away) as error:
            raise StoreUnavailable(f"{self.name}: news were not sent ({error})") from error

    def _instant(self) -> bytes:
        return b"" if self._now is None else str(self._now()).encode()

    def _arguments(self, script: Script, call: Call) -> Sequence[Any]:
        try:
            return _one_by_one(script.arguments, call) if script.arguments else [encode(call.params)]
        except (UnicodeError, OverflowError, ValueError) as error:
            raise not_storable(error, self.name) from error


def _one_by_one(names: Sequence[str], call: Call) -> list[Any]:
    values = []
    for name in names:
        value = call.params[name]
        if value is None:
            value = _NULL
        elif type(value) is int and not -_MOST <= value <= _MOST:
            raise OverflowError(f"{name} {value} is out of range")
        values.append(value)
    return values


_SAID = ("redis_version", "aof_enabled", "aof_last_write_status", "maxmemory", "maxmemory_policy", "used_memory")
"""What INFO says that a diagnosis has to know."""


def _facts(connection: Connection) -> dict[str, str]:
    said = dict(line.split(":", 1) for line in connection.ask("INFO").splitlines() if ":" in line)
    found = {name: said[name] for name in _SAID if name in said}
    try:
        answer = connection.ask("CONFIG", "GET", "appendfsync")
    except ResponseError:
        return found  # not every user may ask, and hosted servers have no such command
    pairs = answer.items() if isinstance(answer, dict) else zip(answer[::2], answer[1::2], strict=True)
    return {**found, **{str(name): str(value) for name, value in pairs}}
