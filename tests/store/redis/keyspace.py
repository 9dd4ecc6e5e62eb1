"""All keys of one namespace, and what must be true of them together.

The jobs' own hashes say what there is; every other key is recomputed from them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import redis

import windlass.store.redis

KEYS_MD = Path(windlass.store.redis.__path__[0]) / "KEYS.md"

TEXTS = ("payload", "meta", "retry", "result", "errors", "progress", "tags", "attempts", "steps")
BLOCK = 4096


def documented() -> dict[str, str]:
    """Patterns of keys and their types, as ``KEYS.md`` has them: what is written in capitals stands for anything."""
    found: dict[str, str] = {}
    for line in KEYS_MD.read_text(encoding="utf-8").splitlines():
        if row := re.match(r"\| ((?:`[^`]+` ?)+)\| (hash|set|sorted set|list|text|number|bits) \|", line):
            for name in re.findall(r"`([^`]+)`", row[1]):
                found[re.sub(r"[A-Z]+", "(.+)", name)] = _TYPES[row[2]]
    return found


_TYPES = {
    "hash": "hash",
    "set": "set",
    "sorted set": "zset",
    "list": "list",
    "text": "string",
    "number": "string",
    "bits": "string",
}


class Keyspace:
    """A copy of everything that lies in one namespace."""

    def __init__(self, url: str, namespace: str) -> None:
        prefix = f"{{{namespace}}}:"
        self.values: dict[str, Any] = {}
        with redis.Redis.from_url(url) as client:
            keys = list(client.scan_iter(match=f"{prefix}*", count=10_000))
            names = [key.decode().removeprefix(prefix) for key in keys]
            asking = client.pipeline(transaction=False)
            for key in keys:
                asking.type(key)
            self.types = {name: type.decode() for name, type in zip(names, asking.execute(), strict=True)}
            for name, key in zip(names, keys, strict=True):
                _ASK[self.types[name]](asking, key)
            for name, value in zip(names, asking.execute(), strict=True):
                self.values[name] = _READ[self.types[name]](value)
        self.jobs: dict[int, dict[str, str]] = dict(self._numbered("job"))

    def check(self) -> None:
        self._check_documentation()
        self._check_jobs()
        self._check_places()
        self._check_expiring()
        self._check_texts()
        self._check_indexes()
        self._check_leases()
        self._check_unique_keys()
        self._check_cache()
        self._check_tags()
        self._check_concurrency_keys()

    def _check_documentation(self) -> None:
        patterns = documented()
        for name, type in self.types.items():
            kinds = {kind for pattern, kind in patterns.items() if re.fullmatch(pattern, name, re.S)}
            assert type in kinds, f"{name} is a {type}; KEYS.md knows it as {kinds or 'nothing'}"

    def _check_jobs(self) -> None:
        assert self.values.get("ids", {}) == {job["id"]: str(seq) for seq, job in self.jobs.items()}
        assert all(seq <= int(self.values["seq"]) for seq in self.jobs)
        counted = Counter(f"{job['state']}:{job['queue']}" for job in self.jobs.values())
        kept = {field: int(number) for field, number in self.values.get("counts", {}).items() if number != "0"}
        assert kept == dict(counted)
        assert {job["queue"] for job in self.jobs.values()} <= self.values.get("queues", set())
        waiting = {job["queue"] for job in self.jobs.values() if job["state"] == "pending"}
        assert self.values.get("waiting", set()) == waiting

    def _check_places(self) -> None:
        expected: dict[str, dict[str, float]] = {}
        for seq, job in self.jobs.items():
            match job["state"]:
                case "pending" | "blocked" as state:
                    rank = 500 - int(job.get("priority", 0))
                    is_suspect = int(job.get("crashes", 0)) + int(job.get("rescues", 0)) > 0
                    waiting = f"{'suspects' if is_suspect else 'pending'}:{job['queue']}"
                    place = expected.setdefault(f"blocked:{job['gate']}" if state == "blocked" else waiting, {})
                    place[f"{rank:03}{seq:014}"] = rank * 2**42 + int(job["run_at"])
                case "scheduled" | "retrying":
                    expected.setdefault("due", {})[f"{seq:014}"] = int(job["run_at"])
                case "completed" | "failed" | "cancelled" as state:
                    place = expected.setdefault(f"finished:{state}:{job['queue']}", {})
                    place[self._finished_member(seq, state)] = int(job["finished_at"])
                case _:
                    pass
        found = {
            name: value
            for name, value in self.values.items()
            if name == "due" or name.startswith(("pending:", "suspects:", "blocked:", "finished:"))
        }
        assert found == expected

    def _check_expiring(self) -> None:
        waiting = [item for item in self.jobs.items() if item[1]["state"] in ("pending", "scheduled", "blocked")]
        expected = {f"{seq:014}": int(job["start_by"]) for seq, job in waiting if "start_by" in job}
        assert self.values.get("expiring", {}) == expected

    def _finished_member(self, seq: int, state: str) -> str:
        """That of a plain job, which is nothing but its hash, may say so."""
        job = self.jobs[seq]
        is_plain = "unique_key" not in job and all(job.get(what) != "" for what in TEXTS)
        plain = f"{seq:014}+"
        is_so = state == "completed" and is_plain and plain in self.values[f"finished:{state}:{job['queue']}"]
        return plain if is_so else f"{seq:014}"

    def _check_texts(self) -> None:
        expected = {f"{what}:{seq}" for seq, job in self.jobs.items() for what in TEXTS if job.get(what) == ""}
        found = {name for name in self.values if name.split(":")[0] in TEXTS}
        assert found == expected
        told = {int(seq) for seq in self.values.get("events", {})}
        assert told == {seq for seq, _ in self._numbered("events")} <= set(self.jobs)

    def _check_indexes(self) -> None:
        for name, wanted in (("all", None), ("failed", "failed"), ("cancelled", "cancelled")):
            expected = {seq for seq, job in self.jobs.items() if wanted in (None, job["state"])}
            found = {
                block * BLOCK + 8 * index + bit
                for block, bits in self._numbered(f"bits:{name}")
                for index, byte in enumerate(bits)
                for bit in range(8)
                if byte & (128 >> bit)
            }
            assert found == expected, f"index {name}"
            blocks = {block for block, _ in self._numbered(f"bits:{name}")}
            assert blocks == {int(block) for block in self.values.get(f"blocks:{name}", {})}

    def _check_leases(self) -> None:
        running: dict[str, set[str]] = {}
        for seq, job in self.jobs.items():
            if job["state"] == "running":
                running.setdefault(job["lease"], set()).add(f"{seq}:{job['fence']}")
            else:
                assert not job.get("lease"), f"job {seq} does not run"
        held = {name.removeprefix("held:"): set(value) for name, value in self.values.items() if name[:5] == "held:"}
        assert held == running
        until, opened = self.values.get("lease_until", {}), set()
        for name, lease in self.values.items():
            if name.startswith("lease:") and lease["state"] == "open":
                opened.add(name.removeprefix("lease:"))
        assert held.keys() <= until.keys(), "rescue finds every lease that holds jobs"
        assert until.keys() == opened | held.keys(), "and no others that are over"
        assert self.values.get("lease_from", {}).keys() == opened
        for name, cancels in self.values.items():
            if name.startswith("cancels:"):
                assert cancels <= held[name.removeprefix("cancels:")]
        pulled = {lease for name, leases in self.values.items() if name[:7] == "pulled:" for lease in leases}
        assert pulled == {lease for lease in held if ":" in lease}

    def _check_unique_keys(self) -> None:
        ids = {job["id"]: job for job in self.jobs.values()}
        for name, held in self.values.items():
            if name.startswith("unique:"):
                assert ids[held["id"]]["unique_key"] == name.removeprefix("unique:")

    def _check_cache(self) -> None:
        """What is cached, or will be, stands in the cache of its task, and its bytes are counted."""
        cached = {
            name.removeprefix("unique:"): held
            for name, held in self.values.items()
            if name.startswith("unique:") and "cached_for" in held
        }
        bytes: Counter[str] = Counter()
        for key, held in cached.items():
            bytes[key.removeprefix("cache:").split("#")[0]] += int(held.get("bytes", 0))
        entries = {name: keys for name, keys in self.values.items() if name.startswith("cache:")}
        assert {key for keys in entries.values() for key in keys} == set(cached)
        assert {name.removeprefix("cache:") for name in entries} == set(bytes) <= set(self.values.get("caches", ()))
        for name, number in self.values.items():
            if name.startswith("cache_bytes:"):
                assert int(number) == bytes.pop(name.removeprefix("cache_bytes:"), 0)
        assert not any(bytes.values())

    def _check_tags(self) -> None:
        expected: dict[str, dict[str, float]] = {}
        for seq, text in self._numbered("tags"):
            for tag in json.loads(text):
                expected.setdefault(f"tag:{tag}", {})[str(seq)] = seq
            assert not any(f"{seq:014}+" in place for name, place in self.values.items() if name[:9] == "finished:")
        assert {name: value for name, value in self.values.items() if name.startswith("tag:")} == expected

    def _check_concurrency_keys(self) -> None:
        """What runs holds its key; what is pending may hold it, and nothing else does. No gate is forgotten."""
        held = {
            int(seq): name.removeprefix("holders:")
            for name, seqs in self.values.items()
            if name.startswith("holders:")
            for seq in seqs
        }
        for seq, key in held.items():
            job = self.jobs[seq]
            assert job["concurrency_key"] == key
            assert job["state"] in ("pending", "running")
        running = {seq for seq, job in self.jobs.items() if job["state"] == "running" and "concurrency_key" in job}
        assert running <= held.keys()
        keyed = [job for job in self.jobs.values() if "concurrency_key" in job or "rate_key" in job]
        gates = {job["gate"] for job in keyed if job["state"] == "blocked"}
        assert gates <= self.values.get("gates", {}).keys()
        assert {gate for gate in gates if "\t" in gate} <= self.values.get("opening", {}).keys()
        assert all("gate" not in job for job in self.jobs.values() if job["state"] != "blocked")

    def _numbered(self, what: str) -> Iterator[tuple[int, Any]]:
        for name, value in self.values.items():
            if re.fullmatch(rf"{what}:\d+", name):
                yield int(name.rpartition(":")[2]), value


def _texts(values: dict[bytes, bytes]) -> dict[str, str]:
    return {name.decode(): value.decode() for name, value in values.items()}


_ASK: dict[str, Callable[[Any, bytes], object]] = {
    "hash": lambda client, key: client.hgetall(key),
    "set": lambda client, key: client.smembers(key),
    "zset": lambda client, key: client.zrange(key, 0, -1, withscores=True),
    "list": lambda client, key: client.lrange(key, 0, -1),
    "string": lambda client, key: client.get(key),
}
_READ: dict[str, Callable[[Any], Any]] = {
    "hash": _texts,
    "set": lambda members: {member.decode() for member in members},
    "zset": lambda members: {member.decode(): score for member, score in members},
    "list": list,
    "string": bytes,
}
