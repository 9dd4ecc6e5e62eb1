"""Checks a server before it is given jobs: version, persistence, eviction."""

from __future__ import annotations

import logging
from itertools import count

from msgspec import Struct

from windlass.errors import ConfigError, StoreUnavailable, WindlassError
from windlass.store.connection.circuit_breaker import Away, LoginDenied
from windlass.store.redis.address import Address

log = logging.getLogger("windlass.store")

OLDEST = (6, 2)
"""The oldest version that the store's tests were run on; Valkey counts as the Redis that it says it is."""


class Server(Struct, frozen=True):
    """One run of one server process, as its INFO shows it."""

    version: str
    identity: str
    """Another one after every restart and every change of the primary: what it held before may be lost."""
    is_primary: bool
    is_loading: bool
    policy: str
    """What it does when its memory is full; empty if it does not say."""
    has_log: bool
    """Whether it writes every change to disk (AOF)."""


def read_info(text: str) -> Server:
    """Read the answer to INFO."""
    said = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
    return Server(
        version=said.get("redis_version", ""),
        identity=f"{said.get('run_id', '')}:{said.get('master_replid', '')}",
        is_primary=said.get("role", "master") == "master",
        is_loading=said.get("loading", "0") != "0",
        policy=said.get("maxmemory_policy", ""),
        has_log=said.get("aof_enabled", "1") != "0",
    )


class Inspection:
    """Looks at each server that this process meets, before it is given work."""

    def __init__(self, address: Address) -> None:
        self._name = address.name
        self._allows_eviction = address.allows_eviction
        self._wants_log = address.wants_log
        self._warnings = count()
        self._passed = ""

    def pass_or_raise(self, server: Server) -> None:
        """``Away`` if it cannot be used now, ``ConfigError`` if it must not be used at all."""
        if server.is_loading:
            raise Away("the server is still loading its data")
        if not server.is_primary:
            raise Away("the server is a replica and takes no writes")
        if server.identity == self._passed:
            return
        self._check(server)
        self._passed = server.identity
        if not server.has_log and next(self._warnings) == 0:
            log.warning(
                "%s: the server keeps no append-only file: a restart or a crash loses all jobs since its last "
                "snapshot, if it makes any; set appendonly to yes",
                self._name,
            )

    def judged(self, failure: Away | WindlassError) -> Away | WindlassError:
        """Why there is no connection: not to be let in is a matter of configuration where no server has passed yet."""
        return ConfigError(str(failure)) if isinstance(failure, LoginDenied) and not self._passed else failure

    def _check(self, server: Server) -> None:
        if _numbers(server.version) < OLDEST:
            wanted = ".".join(map(str, OLDEST))
            raise self._unfit(f"the server is Redis {server.version}; Redis {wanted} or any Valkey is needed")
        if server.policy not in ("noeviction", "") and not self._allows_eviction:
            raise self._unfit(
                f"the server's maxmemory-policy is {server.policy}, so it would throw jobs away when its memory is "
                "full; set it to noeviction, or add ?eviction=allow to the store URL if that is what you want"
            )
        if self._wants_log and not server.has_log:
            raise self._unfit(
                "the server keeps no append-only file, and the store URL says ?durability=logged; set appendonly to yes"
            )

    def _unfit(self, why: str) -> ConfigError | StoreUnavailable:
        """A program that starts has to stop; one that has been working waits until this is put right."""
        text = f"{self._name}: {why}"
        return StoreUnavailable(text) if self._passed else ConfigError(text)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdecimal())
