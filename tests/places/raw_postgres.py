"""The tables of a PostgreSQL schema."""

from __future__ import annotations

import json
from typing import Any

from windlass import Job

PARTS = {
    "state": ["job.waiting"],
    "result": ["finished.result"],
    "cause": ["finished.cause"],
    "finished_at": ["finished.finished_at"],
    "lease": ["running.lease"],
    "claim": ["running.claim"],
    "cancel_requested_at": ["running.cancel_requested_at", "finished.cancel_requested_at"],
    "errors": ["job.errors", "finished.errors"],
    "reason": ["job.reason", "finished.reason"],
    **{
        name: [f"{table}.{name}" for table in ("job", "running", "finished")]
        for name in (
            "attempt",
            "crashes",
            "rescues",
            "fence",
            "claimed_at",
            "started_at",
            "queue",
            "worker",
            "progress",
        )
    },
}
"""Where a part of a job lies, if not under its name in the table of jobs alone. Only one of the others has the job."""


class RawPostgres:
    """A connection of the test's own for each look."""

    def __init__(self, url: str, schema: str) -> None:
        self._url = url
        self._schema = schema

    def write(self, job: Job[Any], columns: dict[str, str | int | bytes | None]) -> None:
        for name, value in columns.items():
            text = value.decode() if isinstance(value, bytes) else value
            for table, column in (part.split(".") for part in PARTS.get(name, [f"job.{name}"])):
                self._execute(f"UPDATE windlass_{table} SET {column} = %s WHERE seq = %s", (text, job.record.seq))

    def read(self, job: Job[Any], column: str) -> bytes:
        [(value,)] = self._execute(f"SELECT {column} FROM windlass_record WHERE id = %s", (job.id,))
        return str(value).encode()

    def remove(self, id: str) -> None:
        self._execute("DELETE FROM windlass_job WHERE id = %s", (id,))

    def give(self, job: Job[Any], lease: str) -> None:
        moving = "UPDATE windlass_running SET lease = %s, fence = fence + 1 WHERE seq = %s"
        self._execute(moving, (lease, job.record.seq))

    def events(self) -> int:
        [(count,)] = self._execute("SELECT count(*) FROM windlass_event")
        return int(count)

    def keys(self) -> list[str]:
        return [str(key) for (key,) in self._execute("SELECT key FROM windlass_key ORDER BY key")]

    def tags(self) -> int:
        [(count,)] = self._execute("SELECT count(*) FROM windlass_tag")
        return int(count)

    def steps(self) -> int:
        [(count,)] = self._execute("SELECT count(*) FROM windlass_step")
        return int(count)

    def archived(self) -> list[tuple[str, dict[str, object]]]:
        rows = self._execute("SELECT week, job FROM windlass_archive ORDER BY week, seq")
        return [(str(week), json.loads(job)) for week, job in rows]

    def miscount(self, limit: str, running: int) -> None:
        self._execute("UPDATE windlass_gate SET running = %s WHERE name = %s", (running, limit))

    def lose_counter(self, limit: str) -> None:
        self._execute("DELETE FROM windlass_gate WHERE name = %s", (limit,))

    def miscount_key(self, key: str, by: int) -> None:
        self._execute("UPDATE windlass_key_gate SET running = running + %s WHERE name = %s", (by, key))

    def left_of_concurrency_keys(self) -> list[str]:
        rows = self._execute("SELECT name FROM windlass_key_gate UNION ALL SELECT gate FROM windlass_blocked")
        return [str(name) for (name,) in rows]

    def leases(self) -> list[str]:
        return [str(id) for (id,) in self._execute("SELECT id FROM windlass_lease")]

    def expire(self, lease: str) -> None:
        self._execute("UPDATE windlass_lease SET renewed_at = 0 WHERE id = %s", (lease,))

    def workers(self) -> list[str]:
        return [str(id) for (id,) in self._execute("SELECT id FROM windlass_worker")]

    def commits(self) -> int:
        """Each transaction that writes takes the next number; only to look takes none."""
        [(number,)] = self._execute("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint")
        return int(number)

    def check(self) -> None:
        """Every job stands in exactly one place."""
        standing = "(SELECT seq FROM windlass_ready UNION ALL SELECT seq FROM windlass_due UNION ALL"
        standing += " SELECT seq FROM windlass_running UNION ALL SELECT seq FROM windlass_finished)"
        astray = f"SELECT seq FROM {standing} AS standing FULL JOIN windlass_job AS job USING (seq)"
        assert self._execute(f"{astray} GROUP BY seq HAVING count(standing.seq) <> 1 OR count(job.seq) <> 1") == []
        tallied = "SELECT queue, state, number FROM windlass_tally UNION ALL"
        tallied += " SELECT queue, state, -1 FROM windlass_finished WHERE tallied"
        assert self._execute(f"SELECT 1 FROM ({tallied}) AS each GROUP BY queue, state HAVING sum(number) <> 0") == []

    def _execute(self, statement: str, params: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        import psycopg  # processes that a test starts would wait for it

        with psycopg.connect(self._url, autocommit=True) as connection:
            cursor = connection.execute(statement.replace("windlass_", f'"{self._schema}".').encode(), params)
            return cursor.fetchall() if cursor.description else []
