"""What can be said about a schedule: names, defaults, checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from enum import StrEnum
from typing import Any, Literal, TypedDict, TypeVar

from windlass.core import validate
from windlass.core.retry import Retry
from windlass.core.schedules.cron import Cron
from windlass.core.schedules.interval import Interval
from windlass.core.schedules.policies import CatchUp, Overlap
from windlass.core.unique import Unique
from windlass.core.units import milliseconds
from windlass.errors import ConfigError, Duration
from windlass.options import OPTION_NAMES, check_known

E = TypeVar("E", bound=StrEnum)

_LONGEST_JITTER = timedelta(days=1)


class ScheduleOptions(TypedDict, total=False):
    """The keywords that a schedule takes besides its name and when it is due."""

    args: Sequence[Any]
    kwargs: Mapping[str, Any] | None
    catch_up: Literal["skip", "latest", "all"]
    catch_up_limit: int
    overlap: Literal["allow", "skip", "buffer"]
    jitter: Duration
    queue: str
    priority: int
    attempts: int
    timeout: Duration | None
    expires: Duration | None
    retry: Retry | Literal[False]
    meta: Mapping[str, object]
    tags: Sequence[str] | Mapping[str, str | int]
    unique: str | Unique
    concurrency_key: str
    rate_key: str


class CronOptions(ScheduleOptions, total=False):
    """The keywords that ``@app.cron(...)`` takes."""

    name: str
    tz: str


class EveryOptions(ScheduleOptions, total=False):
    """The keywords that ``@app.every(...)`` takes."""

    name: str


class TimedOptions(ScheduleOptions, total=False):
    """The keywords that ``app.add_schedule(...)`` and ``schedule.edit(...)`` take."""

    cron: str
    every: Duration
    tz: str


_NOT_FOR_SCHEDULES = frozenset({"at", "connection", "correlation_id", "delay", "id"})
"""Options of a single job that a schedule decides, or that make no sense for many."""
JOB_OPTIONS = tuple(name for name in OPTION_NAMES if name not in _NOT_FOR_SCHEDULES)
"""Options of a job that a schedule may have."""
_CALL = ("args", "kwargs")
_POLICY = ("catch_up", "catch_up_limit", "overlap", "jitter")
_TIMING = ("cron", "every", "tz")


def check_options(given: Mapping[str, Any], *more: str) -> None:
    """Reject unknown names, and suggest the nearest one that exists."""
    check_known(given, (*more, *_CALL, *_POLICY, *JOB_OPTIONS), "schedule option")


def timing_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """When it is due, as it is stored; an expression that is not understood or never comes true is ``ConfigError``.

    >>> timing_of({"cron": "@daily", "tz": "Europe/Berlin"})
    {'cron': '@daily', 'every': None, 'zone': 'Europe/Berlin'}
    >>> timing_of({"every": "15m"})
    {'cron': None, 'every': 900000, 'zone': 'UTC'}
    """
    expression, every, zone = (given.get(name) for name in _TIMING)
    if (expression is None) is (every is None):
        raise ConfigError("a schedule has a cron expression or an interval: give one of cron= and every=")
    if expression is not None:
        zone = "UTC" if zone is None else zone
        for name, value in (("cron", expression), ("tz", zone)):
            if not isinstance(value, str):
                raise ConfigError(f"{name} must be a text, got {value!r}")
        return {"cron": Cron(expression, zone).expression, "every": None, "zone": zone}
    if zone not in (None, "UTC"):
        raise ConfigError(f"tz={zone!r} belongs to a cron expression; an interval is the same in all time zones")
    return {"cron": None, "every": milliseconds(Interval.of(every or 0).period), "zone": "UTC"}


def policy_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """What it does about slots that were missed or overlap, as it is stored; only what was given."""
    checks = {
        "catch_up": lambda value: _one_of(value, CatchUp, "catch_up"),
        "catch_up_limit": lambda value: validate.whole_number(value, "catch_up_limit", least=1, most=1000),
        "overlap": lambda value: _one_of(value, Overlap, "overlap"),
        "jitter": _jitter,
    }
    return {name: check(given[name]) for name, check in checks.items() if name in given}


def job_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Those that ``Options`` takes."""
    return {name: value for name, value in given.items() if name in JOB_OPTIONS}


def _one_of(value: object, kind: type[E], name: str) -> E:
    known = [str(member) for member in kind]
    if value not in known:
        raise ConfigError(f"{name} must be one of {', '.join(map(repr, known))}; got {value!r}")
    return kind(value)


def _jitter(value: Duration) -> int:
    jitter = milliseconds(value, "jitter")
    if timedelta(milliseconds=jitter) > _LONGEST_JITTER:
        raise ConfigError(f"jitter must be at most a day, got {value!r}")
    return jitter
