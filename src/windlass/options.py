"""The options of jobs, tasks and workers: names, defaults, checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal, Protocol, TypedDict

from windlass.client.hints import hint_for_option, nearest
from windlass.core import validate
from windlass.core.limits.concurrency import WHOLE_TASK, KeyRule, checked_key, checked_rule
from windlass.core.rates import key as rates
from windlass.core.rates.rate import Rate, read_rate
from windlass.core.retry import Retry, retry_rule
from windlass.core.unique import Unique
from windlass.core.units import memory, milliseconds
from windlass.core.validate import exception_classes, flag, of_kind
from windlass.errors import ConfigError, Duration
from windlass.store.operations.flows.edges import Policy


class HasId(Protocol):
    """A job."""

    @property
    def id(self) -> str: ...


class IsRequest(Protocol):
    """A request."""

    @property
    def options(self) -> Any: ...


Parent = HasId | IsRequest | str
"""What a job can wait for."""
OnParentFailure = Literal["cancel", "run", "wait"]
POLICIES = tuple(map(str, Policy))


class OptionArguments(TypedDict, total=False):
    """The keywords that ``task.options(...)`` takes."""

    queue: str
    priority: int
    delay: Duration
    at: datetime
    id: str
    unique: str | Unique
    meta: Mapping[str, object]
    attempts: int
    timeout: Duration | None
    retry: Retry | Literal[False]
    correlation_id: str
    tags: Sequence[str] | Mapping[str, str | int]
    expires: Duration | None
    concurrency_key: str
    rate_key: str
    cache: Duration | None
    cache_key: str
    after: Sequence[Parent]
    on_parent_failure: OnParentFailure
    into: str
    connection: object


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


class WorkerOptions(TypedDict, total=False):
    """The keywords that ``app.worker(...)`` takes."""

    concurrency: int
    lease: Duration
    heartbeat: Duration | None
    heartbeat_failures: int
    grace: Duration
    name: str | None
    version: str | None
    id: str | None
    duties: bool
    prefetch: bool
    stop_patience: Duration
    allow_commands: bool
    commands_folder: str | Path | None
    children: int | None
    child_max_jobs: int | None
    child_max_memory: int | str | None


WORKER_DEFAULTS: WorkerOptions = {
    "concurrency": 10,
    "lease": "30s",
    "heartbeat": None,
    "heartbeat_failures": 3,
    "grace": "30s",
    "name": None,
    "version": None,
    "id": None,
    "duties": True,
    "prefetch": True,
    "stop_patience": "5s",
    "allow_commands": False,
    "commands_folder": None,
    "children": None,
    "child_max_jobs": None,
    "child_max_memory": None,
}
"""What holds for a worker where nothing else is given."""


@dataclass(frozen=True, slots=True)
class QueueShare:
    """What a worker gives to one of its queues.

    ``weight`` is its share beside the others; ``cap`` how many of its jobs the worker has at once, at the most;
    ``reserve`` how many slots no other queue may use.

    >>> QueueShare(3, cap=2).reserve
    0
    """

    weight: int = 1
    cap: int | None = None
    reserve: int = 0

    def __post_init__(self) -> None:
        validate.whole_number(self.weight, "weight", least=1, most=1000)
        if self.cap is not None:
            validate.whole_number(self.cap, "cap", least=1, most=10_000)
        validate.whole_number(self.reserve, "reserve", least=0, most=10_000)
        if self.cap is not None and self.reserve > self.cap:
            raise ConfigError(f"reserve is {self.reserve}, but cap allows only {self.cap}")

    def __str__(self) -> str:
        """As ``windlass worker -q`` takes it behind the name.

        >>> str(QueueShare(3)), str(QueueShare(3, cap=2)), str(QueueShare(1, reserve=2))
        ('3', '3:2', '1::2')
        """
        parts = [self.weight, "" if self.cap is None else self.cap, self.reserve or ""]
        return ":".join(map(str, parts)).rstrip(":")


UNSET: Any = object()
"""Not given, where None has a meaning of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What was asked for one job; what was not asked for comes from the task and the app."""

    queue: str | None = None
    priority: int | None = None
    delay: Duration | None = None
    at: datetime | None = None
    id: str | None = None
    unique: str | Unique | None = None
    meta: Mapping[str, object] | None = None
    attempts: int | None = None
    timeout: Duration | None = UNSET
    retry: Retry | None = None
    correlation_id: str | None = None
    tags: tuple[str, ...] = ()
    expires: Duration | None = UNSET
    concurrency_key: str | None = None
    rate_key: str | None = None
    cache: Duration | None = UNSET
    cache_key: str | None = None
    after: tuple[Parent, ...] = ()
    """What it waits for: jobs, their ids, or requests of the same ``enqueue_many``."""
    on_parent_failure: OnParentFailure = "cancel"
    """What becomes of it when one of them ends without completing."""
    into: str | None = None
    """The name of the argument that gets the result of what it waits for, of several a list; empty for the first."""
    members: tuple[Parent, ...] | None = field(default=None, repr=False)
    """Of the callback of a group: the jobs that it waits for and whose results it gets. Set by ``group`` only."""
    connection: object = field(default=None, repr=False)
    """Whose transaction the job becomes part of; without one it is stored at once."""

    def __post_init__(self) -> None:
        if self.queue is not None:
            validate.queue_name(self.queue)
        if self.priority is not None:
            validate.priority(self.priority)
        if self.id is not None:
            validate.job_id(self.id)
        if self.attempts is not None:
            validate.whole_number(self.attempts, "attempts", least=1, most=32_767)
        if isinstance(self.unique, str):
            validate.unique_key(self.unique)
        elif self.unique is not None and not isinstance(self.unique, Unique):
            raise ConfigError(f"unique must be a text or a Unique, got {self.unique!r}")
        if self.delay is not None and self.at is not None:
            raise ConfigError("delay and at exclude each other; give one of them")
        if self.retry is not None:
            rule = retry_rule(self.retry)
            if rule.custom is not None:
                raise ConfigError("retry: a custom function cannot be stored with a job; set it on the task")
            object.__setattr__(self, "retry", rule)
        if self.meta is not None and not isinstance(self.meta, Mapping):
            raise ConfigError(f"meta must be a dict, as in {{'tenant': 'a'}}; got {self.meta!r}")
        if self.correlation_id is not None and not isinstance(self.correlation_id, str):
            raise ConfigError(f"correlation_id must be a text, got {self.correlation_id!r}")
        if self.tags != ():
            object.__setattr__(self, "tags", validate.job_tags(self.tags))
        if self.concurrency_key is not None:
            checked_key(self.concurrency_key, "options")
        if self.rate_key is not None:
            checked_key(self.rate_key, "options", rates.OPTION)
        if self.cache_key is not None:
            checked_key(self.cache_key, "options", "cache_key")
        self._check_parents()
        self._check_times()

    def _check_parents(self) -> None:
        if self.after != ():
            object.__setattr__(self, "after", _parents(self.after))
        if self.into and not str(self.into).isidentifier():
            raise ConfigError(f"into must be the name of an argument, as in into='page'; got {self.into!r}")
        if self.on_parent_failure not in POLICIES:
            raise ConfigError(
                f"on_parent_failure must be one of {', '.join(map(repr, POLICIES))}, got {self.on_parent_failure!r}"
            )

    def _check_times(self) -> None:
        """So that a mistake is found where it is made, and not where the job is enqueued."""
        if self.delay is not None:
            milliseconds(self.delay, "delay")
        if self.at is not None:
            validate.milliseconds_since_1970(self.at, "at")
        if self.timeout is not UNSET:
            timeout_milliseconds(self.timeout)
        if self.expires is not UNSET:
            expiry_milliseconds(self.expires)
        if self.cache is not UNSET:
            cache_milliseconds(self.cache)

    def but(self, changes: Mapping[str, Any]) -> Options:
        """The same options with some of them changed; unknown names are an error that suggests the right one."""
        check_known(changes, OPTION_NAMES)
        return replace(self, **changes)

    @property
    def delay_milliseconds(self) -> int:
        return 0 if self.delay is None else milliseconds(self.delay, "delay")

    def time_limit(self, default: int | None) -> int | None:
        """The time limit in milliseconds; ``default`` where none was asked for."""
        return default if self.timeout is UNSET else timeout_milliseconds(self.timeout)

    def expiry(self, default: int | None) -> int | None:
        """How many milliseconds after it is due it may start at the latest; ``default`` where nothing was asked for."""
        return default if self.expires is UNSET else expiry_milliseconds(self.expires)

    def cached_for(self, default: int | None) -> int | None:
        """How many milliseconds its result is given to equal calls; ``default`` where nothing was asked for."""
        return default if self.cache is UNSET else cache_milliseconds(self.cache)

    @property
    def at_milliseconds(self) -> int | None:
        return None if self.at is None else validate.milliseconds_since_1970(self.at, "at")


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


NO_OPTIONS = Options()
"""Nothing was asked for."""

OPTION_NAMES = tuple(option.name for option in fields(Options) if option.name != "members")

TASK_OPTION_NAMES = tuple(TaskOptions.__annotations__)
WORKER_OPTION_NAMES = tuple(WorkerOptions.__annotations__)


def check_known(given: Mapping[str, Any], known: tuple[str, ...], what: str = "option") -> None:
    """Reject unknown names, and suggest the nearest one that exists."""
    for name in given:
        if name not in known:
            raise ConfigError(f"unknown {what} {name!r}; {hint_for_option(name) or nearest(name, known)}")


def _parents(given: object) -> tuple[Parent, ...]:
    """What ``after`` was given, if it is jobs, ids and requests."""
    if not isinstance(given, Sequence) or isinstance(given, str | bytes):
        raise ConfigError(f"after takes a list of jobs, as in after=[job]; got {given!r}")
    for parent in given:
        if isinstance(parent, str):
            validate.job_id(parent)
        elif not hasattr(parent, "id") and not hasattr(parent, "options"):
            raise ConfigError(f"after takes jobs, their ids, or requests of the same call; got {parent!r}")
    return tuple(given)


def timeout_milliseconds(value: Duration | None) -> int | None:
    """A time limit in milliseconds, or None for none."""
    if value is None:
        return None
    limit = milliseconds(value, "timeout")
    if limit == 0:
        raise ConfigError("timeout must be longer than 0; None means no limit")
    return limit


def cache_milliseconds(value: Duration | None) -> int | None:
    """For how long a result is given to equal calls, in milliseconds, or None for not at all."""
    if value is None:
        return None
    length = milliseconds(value, "cache")
    if length == 0:
        raise ConfigError("cache must be longer than 0; None means that no result is cached")
    return length


def expiry_milliseconds(value: Duration | None) -> int | None:
    """How long a job may wait for its first start, in milliseconds, or None for ever."""
    if value is None:
        return None
    length = milliseconds(value, "expires")
    if length == 0:
        raise ConfigError("expires must be longer than 0; None means never")
    return length
