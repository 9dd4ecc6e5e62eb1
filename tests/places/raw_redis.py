"""The keys of an application on a Redis server (KEYS.md says what each holds)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from windlass import Job

TEXTS = {"payload", "meta", "retry", "result", "errors", "progress", "tags"}
"""Parts of a job that are fields of its hash if they are short; else they have keys, and the fields are empty."""


SCRIPTED = ("eval", "evalsha", "fcall", "exec")
"""Commands that do something as a whole."""


class RawRedis:
    """A connection of the test's own for each look."""

    def __init__(self, url: str, tag: str) -> None:
        self._url = url
        self._prefix = f"{{{tag}}}:"

    def write(self, job: Job[Any], columns: dict[str, str | int | bytes | None]) -> None:
        with self._connected() as client:
            for name, value in columns.items():
                if name in TEXTS:
                    client.set(f"{self._prefix}{name}:{job.record.seq}", value)
                client.hset(f"{self._prefix}job:{job.record.seq}", name, "" if name in TEXTS else value)

    def read(self, job: Job[Any], column: str) -> bytes:
        assert column in TEXTS
        with self._connected() as client:
            text = client.hget(f"{self._prefix}job:{job.record.seq}", column)
            return bytes(text or client.get(f"{self._prefix}{column}:{job.record.seq}"))

    def remove(self, id: str) -> None:
        with self._connected() as client:
            seq = client.hget(f"{self._prefix}ids", id).decode()
            client.delete(f"{self._prefix}job:{seq}")

    def give(self, job: Job[Any], lease: str) -> None:
        record, fence = job.refresh().record, job.fence + 1
        with self._connected() as client, client.pipeline(transaction=True) as pipe:
            pipe.hdel(f"{self._prefix}held:{record.lease}", f"{record.seq}:{record.fence}")
            pipe.hset(f"{self._prefix}held:{lease}", f"{record.seq}:{fence}", "token")
            pipe.hset(f"{self._prefix}job:{record.seq}", mapping={"lease": lease, "fence": fence})
            pipe.execute()

    def events(self) -> int:
        with self._connected() as client:
            return sum(client.llen(key) for key in client.scan_iter(f"{self._prefix}events:*"))

    def keys(self) -> list[str]:
        return self._names("unique:")

    def tags(self) -> int:
        with self._connected() as client:
            return sum(client.zcard(key) for key in client.scan_iter(f"{self._prefix}tag:*"))

    def steps(self) -> int:
        with self._connected() as client:
            return sum(client.hlen(key) for key in client.scan_iter(f"{self._prefix}steps:*"))

    def archived(self) -> list[tuple[str, dict[str, object]]]:
        with self._connected() as client:
            weeks = {week: client.hvals(f"{self._prefix}archive:{week}") for week in self._names("archive:")}
        found = [(week, json.loads(job)) for week, jobs in weeks.items() for job in jobs]
        return sorted(found, key=lambda copy: (copy[0], copy[1]["seq"]))  # a hash has no order

    def miscount(self, limit: str, running: int) -> None:
        with self._connected() as client:
            key, field = ("queue:*", "running") if limit == "*" else ("counts", f"running:{limit}")
            client.hset(f"{self._prefix}{key}", field, running)

    def lose_counter(self, limit: str) -> None:
        with self._connected() as client:
            key, field = ("queue:*", "running") if limit == "*" else ("counts", f"running:{limit}")
            client.hdel(f"{self._prefix}{key}", field)

    def miscount_key(self, key: str, by: int) -> None:
        with self._connected() as client:
            if by > 0:
                client.sadd(f"{self._prefix}holders:{key}", *range(10**9, 10**9 + by))
            else:
                client.spop(f"{self._prefix}holders:{key}", -by)

    def left_of_concurrency_keys(self) -> list[str]:
        with self._connected() as client:
            gates = [name.decode() for name in client.zrange(f"{self._prefix}gates", 0, -1)]
        return [*self._names("holders:"), *self._names("blocked:"), *gates]

    def leases(self) -> list[str]:
        return self._names("lease:")

    def expire(self, lease: str) -> None:
        with self._connected() as client, client.pipeline(transaction=True) as pipe:
            pipe.hset(f"{self._prefix}lease:{lease}", "renewed_at", 0)
            pipe.zadd(f"{self._prefix}lease_from", {lease: 0}, xx=True)
            pipe.zadd(f"{self._prefix}lease_until", {lease: 0}, xx=True)
            pipe.execute()

    def workers(self) -> list[str]:
        return self._names("worker:")

    def commits(self) -> int:
        with self._connected() as client:
            ran = client.info("commandstats")
        return sum(int(ran[f"cmdstat_{name}"]["calls"]) for name in SCRIPTED if f"cmdstat_{name}" in ran)

    def check(self) -> None:
        """Every counter says how many jobs there are, and every job's id leads to it."""
        with self._connected() as client:
            seqs = [key.decode().rpartition(":")[2] for key in client.scan_iter(f"{self._prefix}job:*", count=1000)]
            pipe = client.pipeline()
            for seq in seqs:
                pipe.hmget(f"{self._prefix}job:{seq}", "state", "queue", "id")
            jobs = pipe.execute()
            found = Counter(f"{state.decode()}:{queue.decode()}" for state, queue, _ in jobs)
            counted = {field.decode(): int(count) for field, count in client.hgetall(f"{self._prefix}counts").items()}
            assert found == {field: count for field, count in counted.items() if count}
            ids = client.hgetall(f"{self._prefix}ids")
            assert ids == {id: seq.encode() for seq, (_, _, id) in zip(seqs, jobs, strict=True)}

    def _names(self, kind: str) -> list[str]:
        """The names behind a kind of key."""
        start = f"{self._prefix}{kind}"
        with self._connected() as client:
            return sorted(key.decode().removeprefix(start) for key in client.scan_iter(f"{start}*"))

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        import redis  # processes that a test starts would wait for it

        with redis.Redis.from_url(self._url) as client:
            yield client
