"""What a ``postgresql:`` URL says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from windlass.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Address:
    """One database: how to reach it, and what to call it before people."""

    conninfo: str
    name: str
    """Without password."""


def parse_address(url: str, *, deadline: float) -> Address:
    """Read a URL in any form that libpq knows; what it leaves open is filled in by our defaults.

    >>> parse_address("postgresql://me:secret@db.example:5433/app", deadline=5).name
    'postgresql://me@db.example:5433/app'
    """
    try:
        said = conninfo_to_dict(url)
    except ProgrammingError:
        # libpq repeats the part it does not understand, which may be the password.
        raise ConfigError(
            "the store URL is none that PostgreSQL understands; write postgresql://user:password@host:5432/database "
            "and percent-encode what is special in the password"
        ) from None
    return Address(make_conninfo(**{**_defaults(deadline), **said}), _name(said))


def _defaults(deadline: float) -> dict[str, Any]:
    return {
        "application_name": "windlass",
        "client_encoding": "UTF8",
        "connect_timeout": max(2, round(deadline)),  # libpq takes whole seconds, and 1 as 2
        # A network that swallows packets must not hold a call for the many minutes that TCP allows.
        "tcp_user_timeout": round(deadline * 1000),
    }


def _name(said: dict[str, Any]) -> str:
    user = f"{said['user']}@" if "user" in said else ""
    hosts = str(said.get("host") or said.get("hostaddr") or "").split(",")
    ports = str(said.get("port") or "").split(",")
    places = (host + (f":{port}" if port else "") for host, port in zip(hosts, ports * len(hosts), strict=False))
    return f"postgresql://{user}{','.join(places)}/{said.get('dbname', '')}"
