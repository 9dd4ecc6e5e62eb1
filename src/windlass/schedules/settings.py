"""What a schedule says, in the types of the API."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from windlass.core.meta import read_meta, tags_of
from windlass.core.schedules.policies import CatchUp, Overlap
from windlass.errors import PayloadError
from windlass.schedules.encrypted import opened_definition
from windlass.store.operations.schedules.definition import Definition

if TYPE_CHECKING:
    from windlass.client.client import Client


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleSettings:
    """When a schedule fires, and the job that it makes."""

    cron: str | None
    every: timedelta | None
    tz: str
    catch_up: CatchUp
    catch_up_limit: int
    overlap: Overlap
    jitter: timedelta
    args: tuple[Any, ...] | None
    """None where they cannot be read."""
    kwargs: dict[str, Any] | None
    queue: str
    priority: int
    attempts: int
    timeout: timedelta | None
    expires: timedelta | None
    retry: str | None
    meta: dict[str, Any]
    tags: tuple[str, ...]
    unique: str | None
    """The unique key of its jobs."""

    @property
    def due(self) -> str:
        """The expression, or the interval, in a few characters."""
        return self.cron if self.cron is not None else f"every {interval_text(self.every or timedelta(0))}"


def settings_of(client: Client, name: str, definition: Definition) -> ScheduleSettings:
    """The stored definition of a schedule in the types of the API."""
    definition = opened_definition(client.encryption, name, definition)
    job, meta = definition.job, read_meta(definition.meta)
    args, kwargs = _call(client, definition)
    return ScheduleSettings(
        cron=definition.cron,
        every=None if definition.every is None else timedelta(milliseconds=definition.every),
        tz=definition.zone,
        catch_up=definition.catch_up,
        catch_up_limit=definition.catch_up_limit,
        overlap=definition.overlap,
        jitter=timedelta(milliseconds=definition.jitter),
        args=args,
        kwargs=kwargs,
        queue=job.queue,
        priority=job.priority,
        attempts=job.max_attempts,
        timeout=None if job.timeout is None else timedelta(milliseconds=job.timeout),
        expires=None if job.expires is None else timedelta(milliseconds=job.expires),
        retry=job.retry,
        meta=meta.meta,
        tags=tags_of(definition.tags),
        unique=definition.unique_key,
    )


def differing(one: ScheduleSettings, other: ScheduleSettings) -> list[str]:
    """The settings that are not the same."""
    return [field.name for field in fields(one) if getattr(one, field.name) != getattr(other, field.name)]


def interval_text(period: timedelta) -> str:
    """
    >>> interval_text(timedelta(minutes=15)), interval_text(timedelta(seconds=90)), interval_text(timedelta(days=7))
    ('15m', '1m30s', '7d')
    """
    left = round(period.total_seconds() * 1000)
    parts: list[str] = []
    for unit, size in (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)):
        count, left = divmod(left, size)
        parts += [f"{count}{unit}"] if count else []
    return "".join(parts) or "0s"


def _call(client: Client, definition: Definition) -> tuple[tuple[Any, ...] | None, dict[str, Any] | None]:
    try:
        return client.decode_call(definition.job.task, definition.payload)
    except PayloadError:
        return None, None
