"""Retry rules as they are stored with a job or a queue."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import Struct

from windlass.core.retry import Retry
from windlass.errors import ConfigError


class _StoredRetry(Struct, frozen=True):
    attempts: int
    base: float
    factor: float
    floor: float
    cap: float
    jitter: float
    backoff: Literal["exponential", "linear", "fixed"]


_DECODER = msgspec.json.Decoder(_StoredRetry, strict=False)


def write_retry(retry: Retry) -> str:
    """A rule as JSON; one with a function of its own cannot be written."""
    if retry.custom is not None:
        raise ConfigError("retry: a custom function cannot be stored; set it on the task")
    return msgspec.json.encode(msgspec.convert(retry, _StoredRetry, from_attributes=True)).decode()


def read_retry(text: str | None) -> Retry | None:
    """The rule, or None where there is none or it cannot be read."""
    if text is None:
        return None
    try:
        return Retry(**msgspec.structs.asdict(_DECODER.decode(text)))
    except (msgspec.MsgspecError, ValueError, ConfigError):
        return None
