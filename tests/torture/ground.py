"""The store that the rack works on, and what can be done to it."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from pathlib import Path
from time import time
from typing import Protocol
from urllib.parse import urlsplit

import apsw
import psycopg
import redis

from tests.faults.c_libraries import build
from tests.faults.clockshim import ShiftedClock, shifted_clocks, under
from tests.faults.diskshim import SOURCE, Calls, Disk, Files
from tests.faults.nodes import Node, node_of
from tests.faults.proxy import Proxy
from tests.places.raw_sqlite import RawSqlite
from tests.servers.account import server_account, server_folder
from tests.servers.small_disk import fill_up, mount
from tests.torture.plan import KINDS, Fault, Kind
from windlass import Windlass

NAMESPACE = "torture"
_PING = 1.0
"""Seconds within which a store answers that has its turns."""
_BUSY = 60_000
"""Milliseconds for which an idle process may still be writing, on a machine that has little time for it."""
_OF_PARENTS = "parents"
"""The gate of all jobs that wait for others stays once there were some: it is one."""


class Ground(Protocol):
    """A store of the rack's own."""

    url: str
    """For workers and callers, who meet the faults."""
    environment: dict[str, str]
    """For their processes."""
    kinds: frozenset[Kind]
    """Which faults can be struck here."""

    def url_of_callers(self) -> str:
        """The same, where the store can tell callers from workers."""

    def app(self) -> Windlass:
        """For the rack itself, past the faults."""

    def strike(self, fault: Fault) -> None: ...

    def restore(self, kind: Kind) -> None: ...

    def heal(self) -> None:
        """Take all faults back."""

    def ping(self) -> None:
        """Write something of our own; fails or takes long when the store is away."""

    def vacuum(self) -> None: ...

    def held(self) -> list[str]:
        """What is held although everything is idle: locks, transactions."""

    def still_counted(self) -> list[str]:
        """What is counted as running, or as holding a concurrency key, although all jobs have ended."""

    def milliseconds(self) -> int:
        """What the store's clock shows."""

    @property
    def file(self) -> Path | None:
        """The file that a process may have locked."""

    @property
    def attempts(self) -> int:
        """How many connections were asked for."""


class SqliteGround:
    """A file, on a disk and under a clock that fail at will."""

    kinds = KINDS["sqlite"]
    attempts = 0

    def __init__(self, folder: Path, clock: ShiftedClock, disk: Disk) -> None:
        self._path = folder / "jobs.db"
        self._clock = clock
        self._disk = disk
        self._shift = 0
        self._locked = ExitStack()
        self._is_locked = False
        self.url = f"sqlite:///{self._path}"
        preloaded = f"{disk.environment()['LD_PRELOAD']}:{clock.environment['LD_PRELOAD']}"
        self.environment = {**disk.environment(), **clock.environment, "LD_PRELOAD": preloaded}

    @property
    def file(self) -> Path | None:
        """None while the rack itself keeps it locked: no process is in the middle of a write then."""
        return None if self._is_locked else self._path

    def url_of_callers(self) -> str:
        return self.url

    def app(self) -> Windlass:
        # All processes of a machine go by one clock; the rack's own is not shifted.
        return Windlass(self.url, namespace=NAMESPACE, clock=lambda: round((time() + self._shift) * 1000))

    def strike(self, fault: Fault) -> None:
        match fault.kind:
            case Kind.STORE_AWAY | Kind.OUTAGE:  # another program's transaction keeps every writer out
                self._locked.close()  # of an outage that came late and is not over yet
                self._locked.enter_context(RawSqlite(self._path).locked())
                self._is_locked = True
            case Kind.FULL_DISK:
                self._disk.fail(Calls.WRITE, Files.MAIN | Files.LOG, errno.ENOSPC)
            case Kind.CLOCK_STEP:
                self._shift += clock_step(fault)
                self._clock.step_to(self._shift)
            case _:
                raise NotImplementedError(fault.kind)

    def restore(self, kind: Kind) -> None:
        if kind in (Kind.STORE_AWAY, Kind.OUTAGE):
            self._unlock()
        elif kind is Kind.FULL_DISK:
            self._disk.heal()

    def heal(self) -> None:
        self._unlock()
        self._disk.heal()

    def _unlock(self) -> None:
        self._locked.close()
        self._is_locked = False

    def ping(self) -> None:
        with closing(apsw.Connection(str(self._path))) as connection:
            connection.set_busy_timeout(round(_PING * 1000))
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("CREATE TABLE IF NOT EXISTS ping (at)")
            connection.execute("BEGIN IMMEDIATE; DELETE FROM ping; INSERT INTO ping VALUES (1); COMMIT")

    def vacuum(self) -> None:
        with closing(apsw.Connection(str(self._path))) as connection, suppress(apsw.BusyError, apsw.LockedError):
            connection.set_busy_timeout(200)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def held(self) -> list[str]:
        with closing(apsw.Connection(str(self._path))) as connection:
            connection.set_busy_timeout(_BUSY)
            try:
                connection.execute("BEGIN IMMEDIATE")
            except apsw.BusyError:
                return ["the file is locked by a process that is idle"]
            checked = connection.execute("PRAGMA integrity_check").fetchall()
        return [] if checked == [("ok",)] else [f"integrity: {checked}"]

    def still_counted(self) -> list[str]:
        with closing(apsw.Connection(str(self._path))) as connection:
            connection.set_busy_timeout(_BUSY)
            gates = connection.execute(f"SELECT name, running FROM {NAMESPACE}_gate WHERE running <> 0").fetchall()
            promised = connection.execute(f"SELECT id FROM {NAMESPACE}_job WHERE promised <> 0").fetchall()
        return [
            *(_gate_counts(str(name), number) for name, number in gates),
            *(f"job {id} has ended and is still to run next for its key" for (id,) in promised),
        ]

    def milliseconds(self) -> int:
        return round((time() + self._shift) * 1000)


class ServerGround:
    """A server of our own behind a proxy."""

    file: Path | None = None

    def __init__(self, node: Node, clock: ShiftedClock, proxy: Proxy, *, kinds: frozenset[Kind]) -> None:
        self.node = node
        self._clock = clock
        self._proxy = proxy
        self._shift = 0
        self._is_down = False
        self.kinds = kinds
        self.environment: dict[str, str] = {}
        address = urlsplit(node.url)
        self.url = node.url.replace(f":{address.port}", f":{proxy.port}")

    @property
    def attempts(self) -> int:
        return len(self._proxy.attempts)

    def url_of_callers(self) -> str:
        return self.url

    def app(self) -> Windlass:
        return Windlass(self.node.url, namespace=NAMESPACE)

    def strike(self, fault: Fault) -> None:
        match fault.kind:
            case Kind.STORE_AWAY | Kind.OUTAGE if fault.amount < 0.5:
                self._proxy.refuse()
            case Kind.STORE_AWAY | Kind.OUTAGE:
                if not self._is_down:  # by an outage that came late and is not over yet
                    self.node.kill()
                    self._is_down = True
            case Kind.CUT:
                self._proxy.cut(gently=fault.amount < 0.3)
            case Kind.DELAY:
                self._proxy.delay = 0.03 + 0.2 * fault.amount
            case Kind.BLACK_HOLE:
                self._proxy.swallow()
            case Kind.FULL_DISK:
                self.fill()
            case Kind.CLOCK_STEP:
                self._shift += clock_step(fault)
                self._clock.step_to(self._shift)
            case _:
                raise NotImplementedError(fault.kind)

    def restore(self, kind: Kind) -> None:
        if self._is_down:
            self._is_down = False
            with under(self._clock):
                self.node.start()
        if kind is Kind.FULL_DISK:
            self.empty()
        self._proxy.restore()

    def heal(self) -> None:
        self.restore(Kind.FULL_DISK)

    def milliseconds(self) -> int:
        return round((time() + self._shift) * 1000)

    def fill(self) -> None:
        raise NotImplementedError

    def empty(self) -> None:
        raise NotImplementedError


class PostgresGround(ServerGround):
    """Its tables lie on a small disk, where the rack may mount one."""

    def __init__(self, node: Node, clock: ShiftedClock, proxy: Proxy, disk: Path | None) -> None:
        super().__init__(node, clock, proxy, kinds=KINDS["postgres"] - ({Kind.FULL_DISK} if disk is None else set()))
        self._disk = disk
        self._ballast: Path | None = None

    def url_of_callers(self) -> str:
        return f"{self.url}?application_name=caller"

    def app(self) -> Windlass:
        return Windlass(f"{self.node.url}?application_name=rack", namespace=NAMESPACE)

    def restore(self, kind: Kind) -> None:
        if self._is_down:  # no server recovers on a disk that another fault has filled meanwhile
            self.empty()
        super().restore(kind)

    def fill(self) -> None:
        assert self._disk is not None
        self._ballast = fill_up(self._disk)

    def empty(self) -> None:
        if self._ballast is not None:
            self._ballast.unlink(missing_ok=True)
            self._ballast = None

    def ping(self) -> None:
        with psycopg.connect(self.node.url, connect_timeout=2) as connection:
            connection.execute("SELECT pg_logical_emit_message(true, 'ping', '')")

    def vacuum(self) -> None:
        with suppress(psycopg.Error), psycopg.connect(self.node.url, autocommit=True, connect_timeout=2) as connection:
            connection.execute("SET lock_timeout = '500ms'")
            connection.execute("VACUUM (SKIP_LOCKED)")

    def held(self) -> list[str]:
        with psycopg.connect(self.node.url, autocommit=True) as connection:
            rows = connection.execute(
                "SELECT pid, state, left(query, 100), xact_start FROM pg_stat_activity"
                " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
                " AND xact_start < clock_timestamp() - interval '5 s' AND state <> 'active'"
            ).fetchall()
        return [f"open transaction of backend {pid} ({state}): {query}" for pid, state, query, _ in rows]

    def still_counted(self) -> list[str]:
        with psycopg.connect(self.node.url, autocommit=True) as connection:
            connection.execute(f"SET search_path = {NAMESPACE}".encode())
            gates = connection.execute("SELECT name, running FROM gate WHERE running <> 0").fetchall()
            keys = connection.execute("SELECT name, running FROM key_gate").fetchall()
        return [
            *(_gate_counts(name, number) for name, number in gates),
            *(_key_is_held(name, number) for name, number in keys),
        ]


class RedisGround(ServerGround):
    """Its memory is full instead of its disk."""

    def __init__(self, node: Node, clock: ShiftedClock, proxy: Proxy) -> None:
        super().__init__(node, clock, proxy, kinds=KINDS["redis"])

    def fill(self) -> None:
        with redis.Redis.from_url(self.node.url) as client:
            client.config_set("maxmemory", 1)

    def empty(self) -> None:
        with redis.Redis.from_url(self.node.url) as client:
            client.config_set("maxmemory", 0)

    def ping(self) -> None:
        with redis.Redis.from_url(self.node.url, socket_timeout=2) as client:
            client.set("ping", 1)

    def vacuum(self) -> None:
        raise NotImplementedError

    def held(self) -> list[str]:
        return []

    def still_counted(self) -> list[str]:
        prefix = f"{{{NAMESPACE}}}:"
        with redis.Redis.from_url(self.node.url, decode_responses=True) as client:
            counts = {field: int(number) for field, number in client.hgetall(f"{prefix}counts").items()}
            of_app = int(client.hget(f"{prefix}queue:*", "running") or 0)
            holders = [(key, client.scard(key)) for key in client.scan_iter(f"{prefix}holders:*")]
            gates = client.zrange(f"{prefix}gates", 0, -1)
        of_queues = {field: number for field, number in counts.items() if field.startswith("running:") and number}
        return [
            *(_gate_counts(field.partition(":")[2], number) for field, number in of_queues.items()),
            *([_gate_counts("*", of_app)] if of_app else []),
            *(_key_is_held(key.partition("holders:")[2], number) for key, number in holders),
            *(f"jobs wait for key {gate!r}" for gate in gates if gate != _OF_PARENTS),
        ]


def _gate_counts(name: str, number: object) -> str:
    return f"the limit of {'the app' if name == '*' else f'queue {name}'} counts {number} jobs, and none runs"


def _key_is_held(name: str, number: object) -> str:
    return f"key {name!r} is held {number} times, and no job runs"


def clock_step(fault: Fault) -> int:
    """Seconds: an hour ahead at times, some seconds ahead or back otherwise.

    Never far back: what was due in a second would be due an hour later, on every system with that clock.
    """
    if fault.target < 0.3:
        return 3600
    return round(-8 + 40 * fault.amount)


@contextmanager
def sqlite_ground(folder: Path) -> Iterator[Ground]:
    library = folder / "diskshim.so"
    build(SOURCE, library)
    with shifted_clocks() as clocks:
        disk = Disk(folder / "jobs.db", library=library, folder=folder / "disk")
        yield SqliteGround(folder, clocks(), disk)


@contextmanager
def postgres_ground(folder: Path) -> Iterator[Ground]:
    with _running("postgres") as (node, clock, proxy), ExitStack() as mounted:
        yield PostgresGround(node, clock, proxy, _small_disk(node, mounted))


@contextmanager
def redis_ground(folder: Path) -> Iterator[Ground]:
    with _running("redis") as (node, clock, proxy):
        yield RedisGround(node, clock, proxy)


@contextmanager
def _running(store: str) -> Iterator[tuple[Node, ShiftedClock, Proxy]]:
    with shifted_clocks() as clocks, ExitStack() as running:
        clock = clocks()
        with under(clock):
            node = running.enter_context(node_of(store))
        address = urlsplit(node.url)
        assert address.hostname is not None
        assert address.port is not None
        with closing(Proxy(address.hostname, address.port)) as proxy:
            yield node, clock, proxy


def _small_disk(node: Node, mounted: ExitStack) -> Path | None:
    """A disk for the tables that can be filled; None where only root could mount it and we are not."""
    if os.geteuid() != 0:
        return None
    account = server_account()
    folder = mounted.enter_context(server_folder(account))
    disk = mounted.enter_context(mount(folder / "disk", size="192m"))
    if disk is None:
        return None
    account.own(disk)
    with psycopg.connect(node.url, autocommit=True) as connection:
        connection.execute(f"CREATE TABLESPACE small LOCATION '{disk}'".encode())
        connection.execute("ALTER DATABASE postgres SET default_tablespace = small")
    return disk


def ground_of(store: str, folder: Path) -> AbstractContextManager[Ground]:
    """A fresh store of this kind."""
    makers = {"sqlite": sqlite_ground, "postgres": postgres_ground, "redis": redis_ground}
    return makers[store](folder)
