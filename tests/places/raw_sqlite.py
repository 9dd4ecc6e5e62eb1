"""The tables of an SQLite file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import apsw

from tests.places.place import RawConnection
from tests.waiting import PATIENCE
from windlass import Job


class RawSqlite:
    """A connection of the test's own for each look."""

    def __init__(self, path: Path, connect: Callable[[], RawConnection] | None = None) -> None:
        """``connect`` is that of the test's place: in one process two libraries must not open the same file. Each drops
        the locks of the other, takes its last connection for the last of all, and deletes the log.
        """
        self._path = path
        self._connect: Callable[[], RawConnection] = connect or (lambda: apsw.Connection(str(path)))

    def write(self, job: Job[Any], columns: dict[str, str | int | bytes | None]) -> None:
        for name, value in columns.items():
            # As text also where the bytes are none.
            stored = "CAST(? AS TEXT)" if isinstance(value, bytes) else "?"
            self.execute(f"UPDATE windlass_job SET {name} = {stored} WHERE id = ?", (value, job.id))

    def read(self, job: Job[Any], column: str) -> bytes:
        [(value,)] = self.execute(f"SELECT CAST({column} AS BLOB) FROM windlass_job WHERE id = ?", (job.id,))
        return bytes(value)

    def remove(self, id: str) -> None:
        self.execute("DELETE FROM windlass_job WHERE id = ?", (id,))

    def give(self, job: Job[Any], lease: str) -> None:
        self.execute("UPDATE windlass_job SET lease = ?, fence = fence + 1 WHERE id = ?", (lease, job.id))

    def events(self) -> int:
        [(count,)] = self.execute("SELECT count(*) FROM windlass_event")
        return int(count)

    def keys(self) -> list[str]:
        return [str(key) for (key,) in self.execute("SELECT key FROM windlass_key ORDER BY key")]

    def tags(self) -> int:
        [(count,)] = self.execute("SELECT count(*) FROM windlass_tag")
        return int(count)

    def steps(self) -> int:
        [(count,)] = self.execute("SELECT count(*) FROM windlass_step")
        return int(count)

    def archived(self) -> list[tuple[str, dict[str, object]]]:
        rows = self.execute("SELECT week, job FROM windlass_archive ORDER BY week, seq")
        return [(str(week), json.loads(job)) for week, job in rows]

    def miscount(self, limit: str, running: int) -> None:
        self.execute("UPDATE windlass_gate SET running = ? WHERE name = ?", (running, limit))

    def lose_counter(self, limit: str) -> None:
        self.execute("DELETE FROM windlass_gate WHERE name = ?", (limit,))

    def miscount_key(self, key: str, by: int) -> None:
        raise NotImplementedError("how many jobs hold a key is read from the jobs themselves")

    def left_of_concurrency_keys(self) -> list[str]:
        return [str(id) for (id,) in self.execute("SELECT id FROM windlass_job WHERE gate IS NOT NULL OR promised")]

    def leases(self) -> list[str]:
        return [str(id) for (id,) in self.execute("SELECT id FROM windlass_lease")]

    def expire(self, lease: str) -> None:
        self.execute("UPDATE windlass_lease SET renewed_at = 0 WHERE id = ?", (lease,))

    def workers(self) -> list[str]:
        return [str(id) for (id,) in self.execute("SELECT id FROM windlass_worker")]

    def commits(self) -> int:
        """Those in the write-ahead log: the last frame of each says how large the file is after it."""
        log = self._path.with_name(f"{self._path.name}-wal").read_bytes()
        page, salts = int.from_bytes(log[8:12]), log[16:24]
        frames = [log[start : start + 24] for start in range(32, len(log), 24 + page)]
        return sum(frame[8:16] == salts and frame[4:8] != bytes(4) for frame in frames)

    def check(self) -> None:
        assert self.execute("PRAGMA integrity_check") == [("ok",)]

    def execute(self, statement: str, params: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        """Run a statement that no operation would run."""
        with self._connected() as connection:
            return list(connection.execute(statement, params))

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep every other writer waiting, as a transaction does that somebody left open."""
        with self._connected() as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield

    def is_locked(self) -> bool:
        """Whether somebody is in the middle of a write."""
        with closing(apsw.Connection(str(self._path))) as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
            except apsw.BusyError:
                return True
        return False

    @contextmanager
    def _connected(self) -> Iterator[RawConnection]:
        connection = self._connect()
        try:
            connection.execute(f"PRAGMA busy_timeout = {PATIENCE * 1000:.0f}")  # a worker may be writing
            yield connection
        finally:
            connection.close()
