"""Where one test's jobs live: a file, a schema or a key prefix of its own."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import apsw

from tests.waiting import PATIENCE
from windlass.store.driver import Driver
from windlass.store.open import open_driver


class RawConnection(Protocol):
    """What both libraries' connections have in common."""

    def execute(self, statement: str, params: tuple[Any, ...] = ..., /) -> Iterable[tuple[Any, ...]]: ...

    def close(self) -> None: ...


class Place(Protocol):
    """One store's data for one test. Opening it twice is what two processes do."""

    @property
    def url(self) -> str: ...

    @property
    def namespace(self) -> str: ...

    def open(self, *, now: Callable[[], int] | None, deadline: float = 5.0) -> Driver:
        """A new driver, as another process would have."""

    def force(self, id: str, state: str) -> None:
        """Make a pending job ``blocked`` behind the store's back, by a gate that nothing opens."""

    def erase(self) -> None:
        """Leave nothing on a server that others use too."""


@dataclass(frozen=True)
class SqlitePlace:
    """A file; ``options`` is the URL's query."""

    path: Path
    options: str = ""
    namespace: str = "windlass"

    @property
    def url(self) -> str:
        return f"sqlite:///{self.path}{self.options}"

    def open(self, *, now: Callable[[], int] | None, deadline: float = 5.0) -> Driver:
        return open_driver(self.url, namespace=self.namespace, now=now, deadline=deadline)

    def connect(self) -> RawConnection:
        """A connection of the test's own, with the library that the drivers use; waits for nobody."""
        if "driver=stdlib" in self.options:
            return sqlite3.connect(self.path, isolation_level=None, timeout=0, check_same_thread=False)
        return apsw.Connection(str(self.path))

    def execute(self, statement: str, params: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        """Run one statement behind the store's back; somebody may be writing meanwhile."""
        with closing(self.connect()) as connection:
            connection.execute(f"PRAGMA busy_timeout = {PATIENCE * 1000:.0f}")
            return list(connection.execute(statement, params))

    def force(self, id: str, state: str) -> None:
        self.execute("UPDATE windlass_job SET state = ?, gate = 'forced' WHERE id = ?", (state, id))

    def erase(self) -> None:
        pass


@dataclass(frozen=True)
class ServerPlace:
    """A schema or key prefix on a server that all tests share."""

    url: str
    namespace: str
    wipe: Callable[[str, str], None] = lambda url, namespace: None
    """Removes what lies in a namespace at a URL; not needed where the data end with their server."""
    put: Callable[[str, str, str, str], None] | None = None
    """Puts a job (by id) in a namespace at a URL into a state."""

    def open(self, *, now: Callable[[], int] | None, deadline: float = 5.0) -> Driver:
        return open_driver(self.url, namespace=self.namespace, now=now, deadline=deadline)

    def force(self, id: str, state: str) -> None:
        if self.put is None:
            raise NotImplementedError("this place was made without a way to do that")
        self.put(self.url, self.namespace, id, state)

    def erase(self) -> None:
        self.wipe(self.url, self.namespace)


# Loaded where they are needed: processes that a test starts would wait for them.


def wipe_postgres(url: str, namespace: str) -> None:
    import psycopg
    from psycopg.sql import SQL, Identifier

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(Identifier(namespace)))


def put_postgres(url: str, namespace: str, id: str, state: str) -> None:
    import psycopg
    from psycopg.sql import SQL, Identifier

    assert state == "blocked", "no other move is needed yet"
    with psycopg.connect(url) as connection:
        job, ready, blocked = (Identifier(namespace, table) for table in ("job", "ready", "blocked"))
        connection.execute(SQL("UPDATE {} SET waiting = %s WHERE id = %s").format(job), [state, id])
        leave = SQL("DELETE FROM {} WHERE seq = (SELECT seq FROM {} WHERE id = %s)")
        connection.execute(leave.format(ready, job), [id])
        enter = SQL(
            "INSERT INTO {} (seq, since, priority, queue, gate, start_by) "
            "SELECT seq, run_at, priority, queue, 'forced', start_by FROM {} WHERE id = %s"
        )
        connection.execute(enter.format(blocked, job), [id])


def wipe_redis(url: str, namespace: str) -> None:
    import redis

    with redis.Redis.from_url(url) as client:
        keys = list(client.scan_iter(match=f"{{{namespace}}}:*", count=10_000))
        if keys:
            client.unlink(*keys)


def put_redis(url: str, namespace: str, id: str, state: str) -> None:
    import redis

    prefix = f"{{{namespace}}}:"
    with redis.Redis.from_url(url, decode_responses=True) as client:
        seq = client.hget(f"{prefix}ids", id)
        queue, before = client.hmget(f"{prefix}job:{seq}", "queue", "state")
        assert (before, state) == ("pending", "blocked"), "no other move is needed yet"
        for member, turn in client.zscan_iter(f"{prefix}pending:{queue}", match=f"*{seq:0>14}"):
            client.zrem(f"{prefix}pending:{queue}", member)
            client.zadd(f"{prefix}blocked:forced", {member: turn})
        if not client.zcard(f"{prefix}pending:{queue}"):
            client.srem(f"{prefix}waiting", queue)
        client.hset(f"{prefix}job:{seq}", mapping={"state": state, "gate": "forced"})
        client.hincrby(f"{prefix}counts", f"{before}:{queue}", -1)
        client.hincrby(f"{prefix}counts", f"{state}:{queue}", 1)
