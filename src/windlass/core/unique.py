"""Unique jobs: what makes two jobs equal, and for how long."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from windlass.core.codec import unseal
from windlass.core.units import milliseconds
from windlass.core.validate import texts
from windlass.errors import ConfigError, Duration


@dataclass(frozen=True, slots=True, kw_only=True)
class Unique:
    """At most one job of a kind: by the named arguments, or by all of them.

    Held until the job starts or finishes, or, with ``window``, for that long from the moment it was enqueued.

    ``on_conflict`` says what an enqueue does that finds the key held. "keep": nothing. "replace": the job takes the new
    arguments, if it waits for its first attempt. "postpone": its time moves to that of the new request as well, but not
    beyond ``max_wait`` from the moment at which the job was enqueued.

    >>> Unique(by=("user_id",), until="started").until
    'started'
    >>> Unique(by=("user_id",), until="started", on_conflict="postpone", max_wait="10m").max_wait_milliseconds
    600000
    """

    by: tuple[str, ...] | None = None
    until: Literal["started", "finished"] = "finished"
    window: Duration | None = None
    on_conflict: Literal["keep", "replace", "postpone"] = "keep"
    max_wait: Duration | None = None

    def __post_init__(self) -> None:
        if self.until not in ("started", "finished"):
            raise ConfigError(f"Unique: until must be 'started' or 'finished', got {self.until!r}")
        if self.window is not None:
            milliseconds(self.window, "Unique: window")
        if self.on_conflict not in ("keep", "replace", "postpone"):
            raise ConfigError(f"Unique: on_conflict must be 'keep', 'replace' or 'postpone', got {self.on_conflict!r}")
        if self.max_wait is not None:
            milliseconds(self.max_wait, "Unique: max_wait")
            if self.on_conflict != "postpone":
                raise ConfigError(
                    f"Unique: max_wait bounds how far a job is postponed, so it needs on_conflict='postpone'; "
                    f"on_conflict is {self.on_conflict!r}"
                )
        if self.by is not None:
            object.__setattr__(self, "by", texts(self.by, "Unique: by", example="('user_id',)"))

    @property
    def held(self) -> str:
        """When the store releases the key, in its stored form."""
        return self.until if self.window is None else "window"

    @property
    def window_milliseconds(self) -> int | None:
        return None if self.window is None else milliseconds(self.window)

    @property
    def max_wait_milliseconds(self) -> int | None:
        return None if self.max_wait is None else milliseconds(self.max_wait)


Digest = Callable[[bytes], str]
"""32 hexadecimal digits for what makes two calls equal."""


def plain_digest(call: bytes) -> str:
    """That of calls that are not encrypted."""
    return hashlib.blake2b(call, digest_size=16).hexdigest()


def key_of(task: str, payload: str, digest: Digest = plain_digest) -> str:
    """The key for a task and (some of) its arguments, given as the codec's canonical text."""
    return f"{task}#{digest(unseal(payload))}"


def cached_key(task: str, call: bytes, digest: Digest = plain_digest) -> str:
    """The key under which the result of a call is cached; ``call`` is what makes two calls equal.

    >>> cached_key("render", b"[7]")
    'cache:render#7ce76f7ac73316c27bd96080a3ff8ad1'
    """
    first, _ = cached_keys(task)
    return first + digest(call)


def cached_keys(task: str) -> tuple[str, str]:
    """Between these two, in the order of texts, lie the keys of a task's cached results: no name of a task has a #."""
    return f"cache:{task}#", f"cache:{task}$"


def is_cached_key(key: str | None) -> bool:
    """Whether it may be the key of a cached result: a caller may have chosen one that looks alike."""
    return key is not None and key.startswith("cache:")


def chosen(unique: Unique, bound: Mapping[str, object], task: str) -> dict[str, object]:
    """The arguments that count, in the order of ``by``; with their names, so that those of another rule differ."""
    assert unique.by is not None
    missing = [name for name in unique.by if name not in bound]
    if missing:
        raise ConfigError(f"task {task!r}: Unique(by=...) names {missing[0]!r}, which is no argument of this call")
    return {name: bound[name] for name in unique.by}
