"""Durations that options take, in milliseconds."""

from __future__ import annotations

from windlass.core.units import milliseconds
from windlass.errors import ConfigError, Duration


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
