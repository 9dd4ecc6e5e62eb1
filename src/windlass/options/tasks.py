"""The options and settings of a task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal, TypedDict

from windlass.core import validate
from windlass.core.fault.trip import Trip, trip_rule
from windlass.core.limits.concurrency import WHOLE_TASK, KeyRule, checked_rule
from windlass.core.rates import key as rates
from windlass.core.rates.rate import Rate, read_rate
from windlass.core.retry import Retry, retry_rule
from windlass.core.unique import Unique
from windlass.core.units import memory
from windlass.core.validate import exception_classes, flag, of_kind
from windlass.errors import ConfigError, Duration
from windlass.options.durations import cache_milliseconds, expiry_milliseconds, timeout_milliseconds


class TaskOptions(TypedDict, total=False):
    """The keywords that ``@app.task(...)`` takes; ``TaskSettings`` says what holds without them."""

    name: str | None
    queue: str | None
    priority: int
    retry: Retry | Literal[False] | None
    timeout: Duration | None
    isolation: str | None
    unique: Unique | None
    retry_on: tuple[type[BaseException], ...] | None
    give_up_on: tuple[type[BaseException], ...]
    prefetch: int | None
    recycle_after: int | None
    max_memory: int | str | None
    retry_abandoned: bool
    interrupt: bool
    keep_log: bool
    tags: Sequence[str] | Mapping[str, str | int]
    expires: Duration | None
    concurrency: int | None
    concurrency_key: KeyRule | None
    rate: str | None
    burst: int | None
    rate_key: KeyRule | None
    cache: Duration | None
    cache_key: KeyRule | None
    encrypt: bool | None
    trip: Trip | None


class HelperTaskOptions(TypedDict, total=False):
    """The keywords that ``helper.task(...)`` takes."""

    queue: str | None
    priority: int
    retry: Retry | None
    timeout: Duration | None
    unique: Unique | None
    prefetch: int | None
    tags: Sequence[str] | Mapping[str, str | int]
    expires: Duration | None
    rate: str | None
    burst: int | None
    rate_key: KeyRule | None
    encrypt: bool | None
    trip: Trip | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSettings:
    """What a task says about all of its jobs; each job may say otherwise."""

    queue: str | None = None
    priority: int = 0
    retry: Retry | None = None
    timeout: Duration | None = timedelta(minutes=30)
    isolation: str | None = None
    unique: Unique | None = None
    retry_on: tuple[type[BaseException], ...] | None = None
    give_up_on: tuple[type[BaseException], ...] = ()
    prefetch: int | None = None
    recycle_after: int | None = None
    """With ``isolation="process"``: after so many jobs its child process is replaced."""
    max_memory: int | str | None = None
    """With ``isolation="process"``: above so much memory (bytes, or "512MB") its child is replaced after the job."""
    retry_abandoned: bool = False
    """Whether a job may run again while an earlier run of it, which would not stop, may still be at work."""
    interrupt: bool = True
    """Whether an exception may be raised in a run that has to stop; otherwise only ``job.cancelled`` says so."""
    keep_log: bool = False
    """Whether what a run logged is kept when it returns, too, as it is kept with what a run raises."""
    tags: tuple[str, ...] = ()
    """What all of its jobs are tagged with; each job may have more."""
    expires: Duration | None = None
    """How long after it is due a job may start at the latest; one that has not is cancelled (``expired``)."""
    concurrency: int | None = None
    """How many of its jobs with the same concurrency key may run at once; without a key, how many of all."""
    concurrency_key: KeyRule | None = None
    """The key of its jobs, or what makes it of a call's arguments."""
    rate: str | None = None
    """How many of its jobs with the same rate key may begin in which time, as "30/min"; without a key, of all."""
    burst: int | None = None
    """How many of them at once."""
    rate_key: KeyRule | None = None
    """The key of its jobs for their rate, or what makes it of a call's arguments."""
    bucket: Rate | None = field(init=False, default=None)
    """``rate`` and ``burst``."""
    cache: Duration | None = None
    """For how long a result is given to equal calls, which do not run."""
    cache_key: KeyRule | None = None
    """What makes two calls equal, or makes that of their arguments; without it all arguments count."""
    encrypt: bool | None = None
    """Whether the texts of its jobs are encrypted; None for what the app says."""
    trip: Trip | None = None
    """From how many failures of one cause on the task cools down; None for never."""
    memory_limit: int | None = field(init=False, default=None)
    """``max_memory`` in bytes."""
    time_limit: int | None = field(init=False)
    """``timeout`` in milliseconds."""
    expiry: int | None = field(init=False)
    """``expires`` in milliseconds."""
    cached_for: int | None = field(init=False)
    """``cache`` in milliseconds."""

    def __post_init__(self) -> None:
        if self.queue is not None:
            validate.queue_name(self.queue)
        validate.priority(self.priority)
        if self.retry is not None:
            object.__setattr__(self, "retry", retry_rule(self.retry))
        if self.unique is not None:
            of_kind(self.unique, Unique, "unique", example="Unique(by=('user_id',))")
        object.__setattr__(self, "time_limit", timeout_milliseconds(self.timeout))
        object.__setattr__(self, "expiry", expiry_milliseconds(self.expires))
        object.__setattr__(self, "cached_for", cache_milliseconds(self.cache))
        if self.isolation not in (None, "thread", "process"):
            raise ConfigError(f"isolation must be 'thread' or 'process', got {self.isolation!r}")
        self._check_child_limits()
        if self.prefetch not in (None, 0):
            raise ConfigError(f"prefetch must be 0 (never) or left out, got {self.prefetch!r}")
        if self.retry_on is not None:
            exception_classes(self.retry_on, "retry_on")
        exception_classes(self.give_up_on, "give_up_on")
        flag(self.retry_abandoned, "retry_abandoned")
        flag(self.interrupt, "interrupt")
        flag(self.keep_log, "keep_log")
        if self.encrypt is not None:
            flag(self.encrypt, "encrypt")
        if self.trip is not None:
            trip_rule(self.trip)
        object.__setattr__(self, "tags", validate.job_tags(self.tags))
        self._check_concurrency()
        self._check_rate()
        self._check_cache()

    def _check_concurrency(self) -> None:
        if self.concurrency is not None:
            validate.whole_number(self.concurrency, "concurrency", least=1)
            if self.concurrency_key is None:
                object.__setattr__(self, "concurrency_key", WHOLE_TASK)
        if self.concurrency_key is not None:
            checked_rule(self.concurrency_key)

    def _check_rate(self) -> None:
        if self.rate is None:
            for name in ("burst", "rate_key"):
                if getattr(self, name) is not None:
                    raise ConfigError(f"{name}={getattr(self, name)!r} belongs to a rate, as in rate='30/min'")
            return
        object.__setattr__(self, "bucket", read_rate(self.rate, self.burst))
        if self.rate_key is None:
            object.__setattr__(self, "rate_key", WHOLE_TASK)
        checked_rule(self.rate_key, rates.OPTION)

    def _check_cache(self) -> None:
        if self.cache is not None and self.unique is not None:
            raise ConfigError(
                "cache and unique exclude each other; equal calls of a task with a cache share one job, while it waits "
                "or runs and as long as its result is cached"
            )
        if self.cache_key is None:
            return
        if self.cache is None:
            raise ConfigError("cache_key says which calls are equal for the cache, so it needs cache='10m' or the like")
        checked_rule(self.cache_key, "cache_key")

    def _check_child_limits(self) -> None:
        for name in ("max_memory", "recycle_after"):
            if getattr(self, name) is not None and self.isolation != "process":
                raise ConfigError(
                    f"{name}={getattr(self, name)!r} is about a child process, so it needs isolation='process'; "
                    f"isolation is {self.isolation!r}"
                )
        if self.max_memory is not None:
            object.__setattr__(self, "memory_limit", memory(self.max_memory, "max_memory"))
        if self.recycle_after is not None:
            validate.whole_number(self.recycle_after, "recycle_after", least=1)

    def gives_up_on(self, error: BaseException) -> bool:
        """Whether running again would not help, by what the task says about its errors."""
        if isinstance(error, self.give_up_on):
            return True
        return self.retry_on is not None and not isinstance(error, self.retry_on)


TASK_OPTION_NAMES = tuple(TaskOptions.__annotations__)
