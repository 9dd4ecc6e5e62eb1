"""From a URL to a driver; the only module that knows the stores by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from windlass import clock
from windlass.errors import ConfigError
from windlass.store.driver import Driver

Now = Callable[[], int] | None

DEFAULT_NAMESPACE = "windlass"
_NAMESPACE = re.compile(r"[a-z_][a-z0-9_]{0,47}")


def open_driver(url: str, *, namespace: str = DEFAULT_NAMESPACE, now: Now = None, deadline: float = 5.0) -> Driver:
    """The driver for a store URL; connects to nothing yet.

    ``now`` replaces the store's clock (milliseconds since 1970) in tests.
    """
    if not isinstance(url, str):
        raise ConfigError(f"the store URL must be a text such as 'sqlite:///jobs.db', got {url!r}")
    _check_namespace(namespace)
    scheme = url.split(":", 1)[0]
    if scheme not in _STORES:
        raise ConfigError(
            f"store URL {_without_secrets(url)!r}: unknown kind {scheme!r}; use sqlite:///jobs.db, postgresql:// or redis://"
        )
    return _STORES[scheme](url, namespace, now, deadline)


def _check_namespace(namespace: object) -> None:
    if not isinstance(namespace, str) or not _NAMESPACE.fullmatch(namespace):
        raise ConfigError(
            f"namespace {namespace!r}: use lower-case letters, digits and _, at most 48, not starting with a digit"
        )


def _sqlite(url: str, namespace: str, now: Now, deadline: float) -> Driver:
    from windlass.store.sqlite.address import parse_address  # stores are loaded when asked for
    from windlass.store.sqlite.driver import SqliteDriver

    return SqliteDriver(parse_address(url), prefix=f"{namespace}_", now=now or clock.now, deadline=deadline)


def _postgres(url: str, namespace: str, now: Now, deadline: float) -> Driver:
    with _extra("postgres", url):
        from windlass.store.postgres.driver import PostgresDriver
    return PostgresDriver(url, schema=namespace, now=now, deadline=deadline)


def _redis(url: str, namespace: str, now: Now, deadline: float) -> Driver:
    with _extra("redis", url):
        from windlass.store.redis.driver import RedisDriver
    return RedisDriver(url, tag=namespace, now=now, deadline=deadline)


_STORES: dict[str, Callable[[str, str, Now, float], Driver]] = {
    "sqlite": _sqlite,
    "postgresql": _postgres,
    "postgres": _postgres,
    "unix": _redis,
    **{
        f"{kind}{by}": _redis
        for kind in ("redis", "rediss", "valkey", "valkeys")
        for by in ("", "+sentinel", "+cluster")
    },
}


@contextmanager
def _extra(name: str, url: str) -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"store URL {_without_secrets(url)!r} needs the extra {name!r}: pip install 'windlass-jobs[{name}]'"
        ) from error


def _without_secrets(url: str) -> str:
    """The kind and the place: no user, no options, and nothing of a password whose @, / or ? is not percent-encoded.

    >>> _without_secrets("redis://me:top/sec?ret@example.org/0?ssl_password=topsecret")
    'redis://example.org/0'
    """
    kind = url[: url.find("://") + 3] if "://" in url else ""
    return kind + url.removeprefix(kind).rpartition("@")[2].partition("?")[0]
