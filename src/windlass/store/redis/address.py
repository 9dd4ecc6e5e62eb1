"""What a ``redis:`` URL says."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from redis.connection import ConnectionPool, parse_url

from windlass.errors import ConfigError

_MOST_CONNECTIONS = 10_000
"""One for each thread that waits for an answer at the same time."""


def shown(url: str) -> str:
    """The address for people: no user, no password, no options (which may hold one).

    >>> shown("redis://me:secret@example.org:6379/0?password=secret")
    'redis://example.org:6379/0'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def connection_pool(url: str, *, deadline: float) -> ConnectionPool:
    """Connections to the server behind the URL, none of them made yet."""
    try:
        pool = ConnectionPool(**(_options(url) | _ours(deadline)))
        pool.connection_class(**pool.connection_kwargs)  # connects to nothing, but knows its options
    except TypeError as error:  # its text ends with the name
        raise ConfigError(f"store URL {shown(url)!r}: unknown option {str(error).rpartition(' ')[2]}") from error
    except ValueError as error:
        raise ConfigError(f"store URL {shown(url)!r}: {error}") from error
    return pool


def _options(url: str) -> dict[str, Any]:
    options: dict[str, Any] = parse_url(_known_scheme(url))  # type: ignore[no-untyped-call]  # the library's
    return options


def _known_scheme(url: str) -> str:
    return "redis" + url.removeprefix("valkey") if url.startswith("valkey://") else url


def _ours(deadline: float) -> dict[str, Any]:
    return {
        "max_connections": _MOST_CONNECTIONS,
        "socket_timeout": deadline,
        "socket_connect_timeout": deadline,
        "protocol": 2,  # our scripts answer in plain lists, which RESP3 would not make any plainer
        "decode_responses": True,
        # Bytes that are no UTF-8 in one job must not hide the others; that job fails later, by itself.
        "encoding_errors": "replace",
        # A cycle that is sent twice claims twice: only who knows the call may repeat it.
        "retry": None,
        "retry_on_timeout": False,
    }
