"""Exceptions that are not what an exception usually is, and results that cannot be stored."""

from __future__ import annotations

import asyncio
import socket

import apsw
import psycopg
import redis

from windlass import AppClosed, ConfigError, LeaseLost, StoreUnavailable


class Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


class Unnamed(Exception):
    def __reduce__(self) -> str:
        raise RuntimeError("no pickle either")


class Bare(BaseException):
    """Of no family."""


_ODD = (
    ValueError("no"),
    TimeoutError("too slow"),
    asyncio.CancelledError(),
    SystemExit(3),
    KeyboardInterrupt(),
    GeneratorExit(),
    Bare("bare"),
    StopIteration("over"),
    StopAsyncIteration("over"),
    RecursionError(),
    MemoryError(),
    ExceptionGroup("many", [ValueError("one"), KeyError("two")]),
    BaseExceptionGroup("worse", [SystemExit(1)]),
    Mute(),
    Unnamed(),
    StoreUnavailable("their own store"),
    LeaseLost("of something else"),
    AppClosed("another app"),
    ConfigError("their own"),
    UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"),
    apsw.BusyError("their own file"),
    psycopg.OperationalError("their own server"),
    redis.ConnectionError("their own server"),
)

ODD: dict[str, BaseException] = {type(error).__name__: error for error in _ODD}
"""By the name of the class, which is how the history of a job calls them."""


def unstorable() -> dict[str, object]:
    """By what is wrong with them."""
    cycle: list[object] = []
    cycle.append(cycle)
    return {
        "a socket": socket.socket(),
        "a cycle": cycle,
        "ten megabytes": "x" * 10_000_000,
        "no number": float("nan"),
        "a million digits": 10**1_000_000,
    }
