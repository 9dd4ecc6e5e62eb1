"""The settings of a worker, checked and completed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Unpack

from msgspec import Struct

from windlass.client.client import Client
from windlass.core import validate
from windlass.core.units import duration, memory
from windlass.errors import ConfigError
from windlass.options import WORKER_DEFAULTS, QueueShare, WorkerOptions
from windlass.worker.executors.processes.recycling import ChildLimits
from windlass.worker.fetch.slot_limits import SlotLimits
from windlass.worker.identity import Identity, identity
from windlass.worker.lease.heartbeat import HeartbeatTimes
from windlass.worker.shutdown import ShutdownTimes

Queues = Mapping[str, int | QueueShare] | Sequence[str] | None
"""Queues with weights or shares, or names alone; None: those that the app's tasks name."""


class WorkerSettings(Struct, frozen=True, kw_only=True):
    """Everything that ``app.worker(...)`` takes; times in seconds."""

    identity: Identity
    queues: Mapping[str, QueueShare]
    concurrency: int
    beats: HeartbeatTimes
    grace: float
    shutdown_times: ShutdownTimes
    """Not for users: a test on a busy machine gives its workers more time to stop."""
    stop_patience: float
    children: ChildLimits
    has_duties: bool
    prefetches: bool
    allows_commands: bool
    commands_folder: str | Path | None

    @classmethod
    def of(
        cls,
        client: Client,
        queues: Queues = None,
        *,
        shutdown_times: ShutdownTimes | None = None,
        **given: Unpack[WorkerOptions],
    ) -> WorkerSettings:
        """The settings of a worker; the error names a wrong one."""
        options: WorkerOptions = {**WORKER_DEFAULTS, **given}
        validate.whole_number(options["concurrency"], "concurrency", least=1, most=10_000)
        validate.flag(options["duties"], "duties")
        validate.flag(options["prefetch"], "prefetch")
        validate.flag(options["allow_commands"], "allow_commands")
        served = _served(client, queues, allow_commands=options["allow_commands"])
        _check_reserves(served, options["concurrency"])
        return cls(
            identity=identity(prefix=options["name"], version=options["version"], id=options["id"]),
            queues=served,
            concurrency=options["concurrency"],
            beats=_beats(options),
            grace=duration(options["grace"], "grace").total_seconds(),
            shutdown_times=shutdown_times or ShutdownTimes(),
            stop_patience=duration(options["stop_patience"], "stop_patience").total_seconds(),
            children=_child_limits(options),
            has_duties=options["duties"],
            prefetches=options["prefetch"],
            allows_commands=options["allow_commands"],
            commands_folder=options["commands_folder"],
        )

    @property
    def weights(self) -> dict[str, int]:
        return {name: share.weight for name, share in self.queues.items()}

    @property
    def limits(self) -> SlotLimits:
        """Of its queues; most workers have none."""
        return SlotLimits(self.queues)


def _beats(options: WorkerOptions) -> HeartbeatTimes:
    heartbeat, failures_allowed = options["heartbeat"], options["heartbeat_failures"]
    validate.whole_number(failures_allowed, "heartbeat_failures", least=1)
    ttl = duration(options["lease"], "lease").total_seconds()
    interval = ttl / 3 if heartbeat is None else duration(heartbeat, "heartbeat").total_seconds()
    if not 0 < interval <= ttl / 2:
        raise ConfigError(f"heartbeat must be at most half of the lease ({ttl:g} s), got {interval:g} s")
    return HeartbeatTimes(ttl, interval, failures_allowed)


def _child_limits(options: WorkerOptions) -> ChildLimits:
    count, max_jobs, max_memory = options["children"], options["child_max_jobs"], options["child_max_memory"]
    if count is not None:
        validate.whole_number(count, "children", least=1, most=1_000)
    if max_jobs is not None:
        validate.whole_number(max_jobs, "child_max_jobs", least=1)
    most = min(options["concurrency"], os.cpu_count() or 1)
    largest = None if max_memory is None else memory(max_memory, "child_max_memory")
    return ChildLimits(count or most, max_jobs, largest)


def _served(client: Client, queues: Queues, *, allow_commands: bool) -> dict[str, QueueShare]:
    """Queue names with their shares: those given, else the default queue and all that tasks name."""
    if queues is None:
        if not (len(client.registry) or client.registry.is_open or allow_commands):
            raise ConfigError(
                "this worker would have nothing to do: the app has no tasks; import the modules that hold them before "
                "the worker starts: name them with -A, or with Windlass(include=[...])"
            )
        return dict.fromkeys(client.known_queues, QueueShare())
    given: object = queues
    if not isinstance(given, Mapping | Sequence) or isinstance(given, str) or not queues:
        raise ConfigError(f"queues must name at least one queue, as in ['mail'] or {{'mail': 3}}; got {queues!r}")
    shares = dict(queues) if isinstance(queues, Mapping) else dict.fromkeys(queues, 1)
    return {validate.queue_name(name): _share(name, share) for name, share in shares.items()}


def _share(queue: str, given: object) -> QueueShare:
    if isinstance(given, QueueShare):
        return given
    return QueueShare(validate.whole_number(given, f"weight of queue {queue!r}", least=1, most=1000))


def _check_reserves(queues: Mapping[str, QueueShare], concurrency: int) -> None:
    reserved = sum(share.reserve for share in queues.values())
    if reserved > concurrency:
        raise ConfigError(f"the queues reserve {reserved} slots, but the worker has {concurrency} (concurrency)")
    without = [name for name, share in queues.items() if not share.reserve]
    if without and reserved == concurrency:
        raise ConfigError(
            f"all {concurrency} slots are reserved, so queue {without[0]!r} would never get one; reserve fewer, or "
            "raise the concurrency"
        )
