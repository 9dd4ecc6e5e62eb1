"""What a ``postgresql:`` URL says."""

from __future__ import annotations

from contextlib import suppress
from typing import Any
from urllib.parse import unquote

from msgspec import Struct
from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import Conninfo

from windlass.errors import ConfigError
from windlass.store.connection.url_options import refuse_repeated

_OURS = ("pool", "prepare", "news")
_POOL = 3
_AFTERWARDS = 2.0
"""Seconds for which TCP is more patient than a call, which needs up to one to learn what became of its statement."""
_LAST_PORT = 65535

_NOT_UNDERSTOOD = (
    "the store URL is none that PostgreSQL understands; write postgresql://user:password@host:5432/database "
    "and percent-encode what is special in the password"
)


class Address(Struct, frozen=True):
    """One database: how to reach it, and what to call it before people."""

    conninfo: str
    name: str
    """Without password."""
    pool: int = _POOL
    prepare: bool = True
    news: str = "auto"

    @property
    def listens(self) -> bool:
        """Whether this process wants notifications of other processes."""
        return self.news != "poll"


def parse_address(url: str, *, deadline: float) -> Address:
    """Read a URL in any form that libpq knows; what it leaves open is filled in by our defaults.

    Options of our own in the query, which libpq never sees:

    - ``pool=N``: at most N connections for calls (3); beside them a process has one for heartbeats and one for news
    - ``prepare=off``: no prepared statements, for poolers that change the server connection between transactions and
      do not carry prepared statements along (PgBouncer before 1.21); such poolers bring no news either
    - ``news=poll``: do not listen; what other processes store is found by looking once a second. ``news=listen``:
      listen behind a pooler too, which helps only where it keeps the server connection for the whole session

    >>> parse_address("postgresql://me:secret@db.example:5433/app?pool=8", deadline=5).name
    'postgresql://me@db.example:5433/app'
    """
    plain, ours = _split(url)
    _refuse_spilled_password(plain)
    try:
        said = conninfo_to_dict(plain)
    except ProgrammingError:
        # libpq repeats the part it does not understand, which may be the password.
        raise ConfigError(_trouble(plain)) from None
    _check_ports(said)
    name = _name(said)
    # Not sooner: an unknown option may be part of a password, and would be named.
    refuse_repeated(map(unquote, _option_names(url)), name)
    prepare = _chosen(name, "prepare", ours.get("prepare", "on"), "on", "off") == "on"
    return Address(
        conninfo=make_conninfo(**{**_defaults(deadline), **said}),
        name=name,
        pool=_pool(name, ours.get("pool", str(_POOL))),
        prepare=prepare,
        news=_chosen(name, "news", ours.get("news", "auto" if prepare else "poll"), "auto", "listen", "poll"),
    )


def _split(url: str) -> tuple[str, dict[str, str]]:
    """The URL without our options, and our options."""
    before, _, query = url.partition("?")
    options = [(option, *option.partition("=")[::2]) for option in query.split("&") if option]
    kept = "&".join(option for option, name, _ in options if name not in _OURS)
    return f"{before}?{kept}" if kept else before, {name: value for _, name, value in options if name in _OURS}


def _option_names(url: str) -> list[str]:
    return [option.partition("=")[0] for option in url.partition("?")[2].split("&") if option]


def _refuse_spilled_password(url: str) -> None:
    """libpq ends a password at the first @ or /, and takes the rest of it for a host, a port or a database."""
    login = url.partition("?")[0].partition("://")[2].rpartition("@")[0]
    if "@" in login or "/" in login:
        raise ConfigError(_NOT_UNDERSTOOD)


def _check_ports(said: dict[str, Any]) -> None:
    """The error does not show the port: what stands in its place may be a password, if the host is missing."""
    for port in filter(None, str(said.get("port", "")).split(",")):
        if not (port.isascii() and port.isdecimal() and 1 <= int(port) <= _LAST_PORT):
            raise ConfigError(
                f"the store URL has a port that is no number from 1 to {_LAST_PORT}; if it is part of a password, "
                "write postgresql://user:password@host:5432/database and percent-encode what is special in it"
            )


def _trouble(url: str) -> str:
    """What libpq does not understand: an option by its name, unless a password may have spilled over into that."""
    before, _, query = url.partition("?")
    with suppress(ProgrammingError):
        if "@" not in query:
            place = conninfo_to_dict(before)
            _check_ports(place)
            name = _name(place)
            for said in filter(None, map(_trouble_with, query.split("&"))):
                return f"store URL {name!r}: {said}"
    return _NOT_UNDERSTOOD


def _trouble_with(option: str) -> str | None:
    name, equals, _ = option.partition("=")
    # "ssl" is there for those who come from other clients.
    if unquote(name) not in {"ssl", *(parameter.keyword.decode() for parameter in Conninfo.get_defaults())}:
        return f"unknown option {name!r}; known are {', '.join(_OURS)} and the parameters of libpq, such as sslmode"
    return None if equals else f"option {name!r} has no value"


def _pool(url: str, said: str) -> int:
    if not said.isdecimal() or int(said) < 1:
        raise ConfigError(f"store URL {url!r}: pool must be a whole number of at least 1, got {said!r}")
    return int(said)


def _chosen(url: str, name: str, said: str, *choices: str) -> str:
    if said not in choices:
        raise ConfigError(f"store URL {url!r}: {name} must be {' or '.join(choices)}, got {said!r}")
    return said


def _defaults(deadline: float) -> dict[str, Any]:
    return {
        "application_name": "windlass",
        "client_encoding": "UTF8",
        # A network that swallows packets must not hold anything for the many minutes that TCP allows: neither what was
        # sent, nor a connection that only listens. Later than a call ends by itself, which knows what it has sent; TCP
        # breaks the connection also when the server is only too busy to read.
        "tcp_user_timeout": round((deadline + _AFTERWARDS) * 1000),
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
    }


def _name(said: dict[str, Any]) -> str:
    user = f"{said['user']}@" if "user" in said else ""
    hosts = str(said.get("host") or said.get("hostaddr") or "").split(",")
    ports = str(said.get("port") or "").split(",")
    places = (host + (f":{port}" if port else "") for host, port in zip(hosts, ports * len(hosts), strict=False))
    return f"postgresql://{user}{','.join(places)}/{said.get('dbname', '')}"
