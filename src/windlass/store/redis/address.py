"""What a URL of the Redis store says.

============================  =====================================================
``redis://host:6379/0``       one server; ``valkey://`` means the same
``rediss://host:6379/0``      the same through TLS; ``valkeys://`` too
``unix:///run/redis.sock``    a socket of this machine; ``?db=1`` names the database
``redis+sentinel://a,b/m/0``  sentinels at ``a`` and ``b`` know the primary called ``m``
``redis+cluster://a,b``       some of the nodes of a cluster
============================  =====================================================

The last two exist for ``rediss``, ``valkey`` and ``valkeys`` as well.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

import redis
from redis.connection import AbstractConnection, Connection, parse_url
from redis.exceptions import RedisError

from windlass.errors import ConfigError
from windlass.store.connection.url_options import refuse_repeated

Place = tuple[str, int]
"""Host and port."""


def _library() -> dict[str, Any]:
    try:
        from redis.driver_info import DriverInfo
    except ImportError:  # an older one, which knows its version from its import on
        return {}
    return {"driver_info": DriverInfo(lib_version=redis.__version__)}


LIBRARY = _library()
"""What every connection is given, so that it can say which library it is of. Without this each one reads the installed
packages for it, in code of the standard library that swallows the exception of a signal handler.
"""


class Kind(Enum):
    """What answers at the places of an address."""

    SERVER = "server"
    SENTINEL = "sentinel"
    CLUSTER = "cluster"


@dataclass(frozen=True, slots=True)
class Address:
    """Where the server is, or who knows, and how to talk to it."""

    name: str
    """The address for people: no user, no password, and no option (which may hold one) but the database."""
    kind: Kind
    places: tuple[Place, ...]
    """Empty for a socket of this machine."""
    connection_class: type[AbstractConnection]
    options: Mapping[str, Any]
    """What a connection to the server itself is given, besides its place."""
    service: str = ""
    """The name under which the sentinels know the primary."""
    sentinel_options: Mapping[str, Any] = field(default_factory=dict)
    """What a connection to a sentinel is given, besides its place."""
    pool: int = 3
    """How many calls may be under way at once; heartbeats and news have connections of their own."""
    allows_eviction: bool = False
    wants_log: bool = False
    """Whether a server that keeps no append-only file is refused, not only warned about."""


_SCHEME = re.compile(r"(redis|valkey)(s?)(?:\+(sentinel|cluster))?")
_PLACE = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\[\]:,]*)(?::(\d{1,5}))?")
_PORTS = {Kind.SERVER: 6379, Kind.SENTINEL: 26379, Kind.CLUSTER: 6379}
_FILES = ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile")
_TLS_OPTIONS = (
    *_FILES,
    "ssl_ca_path",
    "ssl_ca_data",
    "ssl_cert_reqs",
    "ssl_check_hostname",
    "ssl_ciphers",
    "ssl_password",
)
_OPTIONS = ("client_name", "db", "username", "password")
_SENTINEL_OPTIONS = ("sentinel_username", "sentinel_password")
_OUR_OPTIONS = ("pool", "eviction", "durability")
_MOST_CONNECTIONS = 1000

_NOT_UNDERSTOOD = (
    "the store URL is none that the Redis store understands; write redis://user:password@host:6379/0 and "
    "percent-encode what is special in the password"
)


def parse_address(url: str) -> Address:
    """Read a URL with its options.

    >>> parse_address("redis://me:secret@example.org/2?pool=8").name
    'redis://example.org/2'
    """
    try:
        parts = urlsplit(url)
    except ValueError:  # its text repeats what may be the password
        raise ConfigError(_NOT_UNDERSTOOD) from None
    # A password that is not percent-encoded may have spilled over into any part behind the hosts.
    if "@" in parts.path + parts.query or parts.fragment:
        raise ConfigError(_NOT_UNDERSTOOD)
    user, _, hosts = parts.netloc.rpartition("@")
    scheme, kind = _scheme(parts.scheme)
    places = () if scheme == "unix" else _places(hosts, kind)
    name = f"{parts.scheme}://{hosts}{parts.path}"
    service, path = _path(parts.path, kind, name) if places else ("", _socket(hosts, parts.path))
    said = _said(parts.query, name, kind, is_tls=scheme == "rediss")
    if "db" in said and path != "/" and places:
        raise ConfigError(f"store URL {name!r}: the database is in the path and in the option 'db'; name it once")
    connection_class, options = _library_options(f"{scheme}://{user}@{path}", said, name)
    if kind is Kind.CLUSTER and options.get("db"):
        raise ConfigError(f"store URL {name!r}: a cluster has no database but 0")
    return Address(
        name=f"{name}?db={options['db']}" if "db" in said else name,
        kind=kind,
        places=places,
        connection_class=connection_class,
        options=options,
        service=service,
        sentinel_options=_sentinel_options(options, said),
        pool=_pool(said, name),
        allows_eviction=_choice(said, name, "eviction", "refuse", "allow") == "allow",
        wants_log=_choice(said, name, "durability", "any", "logged") == "logged",
    )


def _scheme(scheme: str) -> tuple[str, Kind]:
    """The library's scheme, and what answers there."""
    if scheme == "unix":
        return scheme, Kind.SERVER
    found = _SCHEME.fullmatch(scheme)
    if found is None:
        raise ConfigError(_NOT_UNDERSTOOD)
    return f"redis{found[2]}", Kind(found[3] or "server")


def _socket(hosts: str, path: str) -> str:
    if hosts or not path:
        raise ConfigError("store URL: the path of a socket follows three slashes, as in unix:///run/redis.sock")
    return path


def _library_options(url: str, said: Mapping[str, str], name: str) -> tuple[type[AbstractConnection], dict[str, Any]]:
    """What the library makes of users, passwords, databases and its own options."""
    theirs = {option: value for option, value in said.items() if option in (*_TLS_OPTIONS, *_OPTIONS)}
    try:
        options: dict[str, Any] = parse_url(  # type: ignore[no-untyped-call]  # the library's
            f"{url}?{urlencode(theirs, quote_via=quote)}"
        )
        kind = options.pop("connection_class", Connection)
        kind(**options, **LIBRARY)  # connects to nothing, but looks at its options
    except (ValueError, RedisError) as error:
        raise ConfigError(f"store URL {name!r}: {error}") from error
    return kind, options


def _places(hosts: str, kind: Kind) -> tuple[Place, ...]:
    if kind is Kind.SERVER and "," in hosts:
        raise ConfigError(f"store URL: {hosts!r} names several hosts; use redis+sentinel:// or redis+cluster://")
    found = [_PLACE.fullmatch(place) for place in hosts.split(",")]
    if not all(found):
        raise ConfigError(_NOT_UNDERSTOOD)
    return tuple(
        (unquote(place[1].strip("[]")) or "localhost", int(place[2] or _PORTS[kind])) for place in found if place
    )


def _path(path: str, kind: Kind, name: str) -> tuple[str, str]:
    """The sentinels' name for the primary, and the path that is left."""
    service = ""
    if kind is Kind.SENTINEL:
        service, _, path = path.removeprefix("/").partition("/")
        if not service:
            raise ConfigError(
                f"store URL {name!r}: name the primary as the sentinels know it, redis+sentinel://host:26379/mymaster/0"
            )
    number = path.strip("/")
    if number and not (number.isascii() and number.isdecimal()):
        raise ConfigError(f"store URL {name!r}: the database is a number, got {number!r}")
    return unquote(service), f"/{number}"


def _said(query: str, name: str, kind: Kind, *, is_tls: bool) -> dict[str, str]:
    known = (
        *_OUR_OPTIONS,
        *_OPTIONS,
        *(_SENTINEL_OPTIONS if kind is Kind.SENTINEL else ()),
        *(_TLS_OPTIONS if is_tls else ()),
    )
    options = parse_qsl(query, keep_blank_values=True)
    refuse_repeated((option for option, _ in options), name)
    said = dict(options)
    for option, value in said.items():
        if option in _TLS_OPTIONS and not is_tls:
            raise ConfigError(f"store URL {name!r}: option {option!r} is for TLS; write rediss://")
        if option not in known:
            raise ConfigError(f"store URL {name!r}: unknown option {option!r}; known are {', '.join(known)}")
        if option in _FILES and not Path(value).is_file():
            raise ConfigError(f"store URL {name!r}: {option} names no file: {value!r}")
    return said


def _sentinel_options(options: Mapping[str, Any], said: Mapping[str, str]) -> dict[str, Any]:
    """Sentinels have no databases, and users of their own; TLS is the same."""
    shared = {option: value for option, value in options.items() if option in _TLS_OPTIONS}
    own = {name.removeprefix("sentinel_"): said[name] for name in _SENTINEL_OPTIONS if name in said}
    return shared | own


def _pool(said: Mapping[str, str], name: str) -> int:
    number = said.get("pool", "3")
    if not (number.isascii() and number.isdecimal() and 1 <= int(number) <= _MOST_CONNECTIONS):
        raise ConfigError(f"store URL {name!r}: pool must be a number from 1 to {_MOST_CONNECTIONS}, got {number!r}")
    return int(number)


def _choice(said: Mapping[str, str], name: str, option: str, default: str, other: str) -> str:
    value = said.get(option, default)
    if value not in (default, other):
        raise ConfigError(f"store URL {name!r}: {option} must be {default} or {other}, got {value!r}")
    return value
