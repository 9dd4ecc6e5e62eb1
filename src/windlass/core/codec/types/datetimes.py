"""Dates, times and durations in tagged form."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from windlass.core.codec.rejection import Rejection
from windlass.core.codec.stored_text.storable import require_text
from windlass.core.codec.tags import Members, list_in, require_only, text_in

# ZoneInfo looks the key up as a file name and as a resource of a package; let nothing else through.
_ZONE_KEY = re.compile(r"[A-Za-z0-9_+-]{1,64}(?:/[A-Za-z0-9_+-]{1,64}){0,3}")


def write_datetime(value: datetime) -> Members:
    return {"v": value.isoformat(), **_zone(value.tzinfo), **_fold(value.fold)}


def read_datetime(members: Members) -> datetime:
    """Wall time and zone come back as they were, even if the zone's rules have changed in between."""
    require_only(members, "zone", "name", "fold")
    value = datetime.fromisoformat(text_in(members))
    return value.replace(tzinfo=_read_zone(members, value.tzinfo), fold=_read_fold(members))


def write_time(value: time) -> Members:
    return {"v": value.isoformat(), **_zone(value.tzinfo), **_fold(value.fold)}


def read_time(members: Members) -> time:
    require_only(members, "zone", "name", "fold")
    value = time.fromisoformat(text_in(members))
    return value.replace(tzinfo=_read_zone(members, value.tzinfo), fold=_read_fold(members))


def write_date(value: date) -> Members:
    return {"v": value.isoformat()}


def read_date(members: Members) -> date:
    require_only(members)
    return date.fromisoformat(text_in(members))


def write_timedelta(value: timedelta) -> Members:
    return {"v": [value.days, value.seconds, value.microseconds]}


def read_timedelta(members: Members) -> timedelta:
    require_only(members)
    match list_in(members):
        case [int(days), int(seconds), int(microseconds)]:
            return timedelta(days, seconds, microseconds)
        case _:
            raise Rejection("a timedelta is a list of days, seconds and microseconds")


def _zone(zone: tzinfo | None) -> Members:
    if zone is None:
        return {}
    if type(zone) is timezone:
        return _fixed_zone(zone)
    if type(zone) is ZoneInfo and zone.key and _ZONE_KEY.fullmatch(zone.key):
        return {"zone": zone.key}
    raise Rejection(
        f"the time zone {type(zone).__qualname__} cannot be stored; use zoneinfo.ZoneInfo(key) or datetime.timezone"
    )


def _fixed_zone(zone: timezone) -> Members:
    offset = zone.utcoffset(None)
    if offset.microseconds:
        # Python's own parser takes some of them for UTC.
        raise Rejection("a time zone with a fraction of a second cannot be stored")
    name = zone.tzname(None)
    return {"name": require_text(name)} if name != timezone(offset).tzname(None) else {}


def _read_zone(members: Members, offset: tzinfo | None) -> tzinfo | None:
    if "zone" in members:
        key = text_in(members, "zone")
        if not _ZONE_KEY.fullmatch(key):
            raise Rejection("'zone' must be the key of an IANA time zone")
        return ZoneInfo(key)
    if "name" in members:
        if offset is None:
            raise Rejection("'name' needs an offset")
        return timezone(offset.utcoffset(None) or timedelta(0), text_in(members, "name"))
    return offset


def _fold(fold: int) -> Members:
    return {"fold": 1} if fold else {}


def _read_fold(members: Members) -> int:
    fold = members.get("fold", 0)
    if type(fold) is not int or fold not in (0, 1):
        raise Rejection("'fold' must be 0 or 1")
    return fold
