"""A Redis or Valkey server on this machine that keeps an append-only file, synced every second."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from ctypes.util import find_library
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from benchmarks.disk import IN_MEMORY, file_system
from benchmarks.place import Place
from benchmarks.server import Server, process_named
from tests.servers import valkey_server

DURABLE = {"appendonly": "yes", "appendfsync": "everysec"}
_PAGE = 10_000
JEMALLOC = find_library("jemalloc")
"""Released servers are built with it, the one of the development dependencies is not: it gets it where it is there."""


class RedisStore:
    """A server for the whole run; each round, of ours or of a peer, has names of its own, removed behind it."""

    name = "redis"
    title = "Redis"
    variants = ("everysec",)

    @contextmanager
    def serve(self, folder: Path) -> Iterator[Server]:
        with valkey_server(settings=DURABLE, parent=folder, preload=JEMALLOC) as address:
            with _client(address) as client:
                pid = int(client.info("server")["process_id"])
            yield Server(address, process_named(pid, ("redis-server", "valkey-server")))

    @contextmanager
    def fresh(self, server: Server, variant: str, folder: Path) -> Iterator[Place]:
        # Random, not counted: a server that the environment names is shared with other runs. Letters and digits only,
        # for a peer may drop anything else from a name. As long as the default: each key that is logged begins with it.
        namespace = f"b{uuid4().hex[:7]}"
        with _client(server.address) as client:
            _rewrite(client)
            try:
                yield Place(server.address, namespace)
            finally:
                _wipe(client, namespace)

    def beside(self, place: Place, name: str) -> Place:
        return replace(place, namespace=f"{place.namespace}{name}")

    def facts(self, server: Server) -> Mapping[str, str]:
        with _client(server.address) as client:
            info = client.info("server")
            settings = ", ".join(f"{name}={_setting(client, name)}" for name in DURABLE)
            kind = "Valkey" if "valkey_version" in info else "Redis"
            version = info.get("valkey_version", info["redis_version"])
            with_allocator = f"{kind} {version} with {_allocator(server, client)}"
            return {"Redis": f"{with_allocator}; {settings}; files on {_file_system(server, client)}"}

    def warnings(self, server: Server) -> list[str]:
        with _client(server.address) as client:
            found = []
            if _setting(client, "appendonly") == "no":
                found.append("Redis runs with appendonly=no")
            if _file_system(server, client) in IN_MEMORY:
                found.append("the files of Redis lie in memory: nothing there is durable")
            if _allocator(server, client) == "libc":
                found.append(
                    "Redis runs with the allocator of the C library: its memory gets fragmented, and each command "
                    "slower, the longer it runs; released servers have jemalloc (Debian: apt install libjemalloc2)"
                )
            return found

    def guarantee(self, variant: str) -> str:
        return (
            "appendfsync everysec: a crash of the server or of the machine may take the last second, one of a client "
            "nothing; fenced leases; jobs of a killed worker run again; every state, time and result is kept"
        )


def _client(address: str) -> Any:
    import redis  # in the environment of a Windlass with its extra; loaded where it is needed

    return redis.Redis.from_url(address, decode_responses=True)


def _rewrite(client: Any) -> None:
    """Make the append-only file small again: else the server does so in some rounds, and not in others."""
    import redis

    with suppress(redis.ResponseError):  # one is under way, or the server is not ours and does not let us
        client.bgrewriteaof()
    while _is_rewriting(client.info("persistence")):
        time.sleep(0.01)


def _is_rewriting(info: Mapping[str, Any]) -> bool:
    return bool(info["aof_rewrite_in_progress"] or info["aof_rewrite_scheduled"])


def _wipe(client: Any, namespace: str) -> None:
    """Remove every key with this name in it: ours begin with it, those of some peers do not."""
    cursor = None
    while cursor != 0:
        cursor, keys = client.scan(cursor or 0, match=f"*{namespace}*", count=_PAGE)
        if keys:
            client.unlink(*keys)


def _setting(client: Any, name: str) -> str:
    return str(client.config_get(name)[name])


def _allocator(server: Server, client: Any) -> str:
    """What the server was built with, or what was loaded over it."""
    told = str(client.info("memory")["mem_allocator"])
    if told == "libc" and server.pid is not None:
        with suppress(OSError):  # gone, or another's
            if "jemalloc" in Path(f"/proc/{server.pid}/maps").read_text(encoding="utf-8"):
                return "jemalloc, preloaded"
    return told


def _file_system(server: Server, client: Any) -> str:
    """That of a server elsewhere is unknown."""
    return "unknown" if server.pid is None else file_system(Path(_setting(client, "dir")))
