"""Time zones by name, and which zone data this system has."""

from __future__ import annotations

import zoneinfo
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from windlass.core.validate import shortened
from windlass.errors import ConfigError

_UNKNOWN = "unknown"


@lru_cache(maxsize=256)
def time_zone(name: str) -> ZoneInfo:
    """The zone of this name, or ``ConfigError``."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError, TypeError):
        pass
    if not available_timezones():
        raise ConfigError("tz: this system has no time zone data; install the package tzdata")
    raise ConfigError(f"tz: there is no time zone {shortened(name)}; zones have names such as 'Europe/Berlin' or 'UTC'")


@cache
def zone_data_version() -> str:
    """The version of the zone data that this process uses, such as ``2026b``; ``unknown`` where nothing tells it."""
    for folder in map(Path, zoneinfo.TZPATH):
        if (folder / "UTC").exists():
            return _stated(folder) or _UNKNOWN
    try:
        return str(import_module("tzdata").IANA_VERSION)
    except ImportError:
        return _UNKNOWN


def _stated(folder: Path) -> str | None:
    """What the files of a system say about themselves: ``# version 2026b``, or nothing but the version."""
    for name in ("tzdata.zi", "+VERSION"):
        try:
            with (folder / name).open(encoding="utf-8") as file:
                return file.readline().removeprefix("# version ").strip() or None
        except (OSError, UnicodeDecodeError):
            continue
    return None
