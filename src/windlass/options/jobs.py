"""The options of a job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any, Literal, Protocol, TypedDict

from windlass.core import validate
from windlass.core.limits.concurrency import checked_key
from windlass.core.rates import key as rates
from windlass.core.retry import Retry, retry_rule
from windlass.core.unique import Unique
from windlass.core.units import milliseconds
from windlass.errors import ConfigError, Duration
from windlass.options.durations import cache_milliseconds, expiry_milliseconds, timeout_milliseconds
from windlass.options.known import UNSET, check_known
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


class CommonOptionArguments(TypedDict, total=False):
    """The keywords that ``task.options(...)`` takes, without the one that changes which arguments a call needs."""

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
    connection: object


class OptionArguments(CommonOptionArguments, total=False):
    """The keywords that ``task.options(...)`` takes."""

    into: str


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


NO_OPTIONS = Options()
"""Nothing was asked for."""


OPTION_NAMES = tuple(option.name for option in fields(Options) if option.name != "members")


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
