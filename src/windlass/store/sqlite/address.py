"""What an ``sqlite:`` URL says."""

from __future__ import annotations

from pathlib import Path
from typing import Literal
from urllib.parse import parse_qsl, unquote, urlsplit

from msgspec import Struct

from windlass.errors import ConfigError
from windlass.store.connection.url_options import refuse_repeated

Durability = Literal["full", "normal"]
Library = Literal["apsw", "stdlib"]

MEMORY = ":memory:"
_CHOICES = {"durability": ("full", "normal"), "driver": ("apsw", "stdlib"), "news": ("auto", "poll")}


class Address(Struct, frozen=True):
    """One database file and how to use it."""

    path: str
    """Absolute, or ``:memory:``."""
    durability: Durability = "full"
    library: Library = "apsw"
    news: Literal["auto", "poll"] = "auto"

    @property
    def is_memory(self) -> bool:
        return self.path == MEMORY


def parse_address(url: str) -> Address:
    """Read ``sqlite:///relative.db``, ``sqlite:////absolute.db`` or ``sqlite:///:memory:`` with its options.

    >>> parse_address("sqlite:////var/lib/jobs.db?durability=normal").durability
    'normal'
    """
    parts = urlsplit(url)
    if parts.netloc:
        raise ConfigError(f"store URL {url!r}: an SQLite path follows three slashes, as in sqlite:///jobs.db")
    path = unquote(parts.path.removeprefix("/"))
    if not path:
        raise ConfigError(f"store URL {url!r}: names no file; write sqlite:///jobs.db")
    options = _options(url, parts.query)
    return Address(
        path=path if path == MEMORY else str(Path(path).absolute()),
        durability=options.get("durability", "full"),  # type: ignore[arg-type]  # checked by _options
        library=options.get("driver", "apsw"),  # type: ignore[arg-type]
        news=options.get("news", "auto"),  # type: ignore[arg-type]
    )


def _options(url: str, query: str) -> dict[str, str]:
    said = parse_qsl(query, keep_blank_values=True)
    refuse_repeated((name for name, _ in said), url)
    options = dict(said)
    for name, value in options.items():
        if name not in _CHOICES:
            raise ConfigError(f"store URL {url!r}: unknown option {name!r}; known are {', '.join(_CHOICES)}")
        if value not in _CHOICES[name]:
            raise ConfigError(f"store URL {url!r}: {name} must be {' or '.join(_CHOICES[name])}, got {value!r}")
    return options
