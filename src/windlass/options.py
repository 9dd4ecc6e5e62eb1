"""The options of a job and of a worker, checked before anything is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, TypedDict

from windlass.client.hints import hint_for_option, nearest
from windlass.core import validate
from windlass.core.retry import Retry, retry_rule
from windlass.core.unique import Unique
from windlass.core.units import milliseconds
from windlass.core.validate import texts
from windlass.errors import ConfigError, Duration


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
    tags: tuple[str, ...]
    connection: object


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
            object.__setattr__(self, "tags", texts(self.tags, "tags", example="('vip',)"))
        self._check_times()

    def _check_times(self) -> None:
        """So that a mistake is found where it is made, and not where the job is enqueued."""
        if self.delay is not None:
            milliseconds(self.delay, "delay")
        if self.at is not None:
            validate.milliseconds_since_1970(self.at, "at")
        if self.timeout is not UNSET:
            timeout_milliseconds(self.timeout)

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

    @property
    def at_milliseconds(self) -> int | None:
        return None if self.at is None else validate.milliseconds_since_1970(self.at, "at")


NO_OPTIONS = Options()
"""Nothing was asked for."""

OPTION_NAMES = tuple(option.name for option in fields(Options))


def check_known(given: Mapping[str, Any], known: tuple[str, ...], what: str = "option") -> None:
    """Reject unknown names, and suggest the nearest one that exists."""
    for name in given:
        if name not in known:
            raise ConfigError(f"unknown {what} {name!r}; {hint_for_option(name) or nearest(name, known)}")


def timeout_milliseconds(value: Duration | None) -> int | None:
    """A time limit in milliseconds, or None for none."""
    if value is None:
        return None
    limit = milliseconds(value, "timeout")
    if limit == 0:
        raise ConfigError("timeout must be longer than 0; None means no limit")
    return limit
