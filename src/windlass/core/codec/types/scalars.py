"""The fixed table of tagged types that contain no other values."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import TypeVar, cast
from uuid import UUID

from msgspec import Struct

from windlass.core.codec.rejection import Rejection
from windlass.core.codec.tags import Members, require_only, text_in
from windlass.core.codec.types import datetimes
from windlass.core.codec.types.group_results import RESULTS_TAG, GroupResults, read_results, write_results
from windlass.core.codec.types.parent_failed import FAILED_TAG, ParentFailed, read_failure, write_failure

T = TypeVar("T")

# CPython's own bound for int from text; more would make reading take quadratic time.
_DIGITS = 4300
_INT_BOUND = 10**_DIGITS
_INT_TEXT = re.compile(rf"-?[0-9]{{1,{_DIGITS}}}")


class Scalar(Struct, frozen=True):
    """How values of exactly ``kind`` are written under ``tag``, and read back."""

    tag: str
    kind: type
    write: Callable[[object], Members]
    read: Callable[[Members], object]


def _scalar(tag: str, kind: type[T], write: Callable[[T], Members], read: Callable[[Members], T]) -> Scalar:
    # The table is only read by a value's exact type, so the writer gets no other.
    return Scalar(tag, kind, cast("Callable[[object], Members]", write), read)


def _write_bytes(value: bytes) -> Members:
    return {"v": b64encode(value).decode()}


def _read_bytes(members: Members) -> bytes:
    require_only(members)
    return b64decode(text_in(members), validate=True)


def _write_decimal(value: Decimal) -> Members:
    if not value.is_finite():
        raise Rejection("NaN and infinity cannot be stored")
    return {"v": str(value)}


def _read_decimal(members: Members) -> Decimal:
    require_only(members)
    value = Decimal(text_in(members))
    if not value.is_finite():
        raise Rejection("a Decimal must be finite")
    return value


def _write_uuid(value: UUID) -> Members:
    return {"v": str(value)}


def _read_uuid(members: Members) -> UUID:
    require_only(members)
    return UUID(text_in(members))


def _write_int(value: int) -> Members:
    try:
        if abs(value) < _INT_BOUND:
            return {"v": str(value)}
    except ValueError:
        # The program set a lower bound by sys.set_int_max_str_digits; it must not store what it cannot read.
        pass
    raise Rejection(f"an int of more than {_DIGITS} digits cannot be stored; pass it as bytes")


def _read_int(members: Members) -> int:
    require_only(members)
    text = text_in(members)
    if not _INT_TEXT.fullmatch(text):
        raise Rejection(f"an int must be decimal digits, at most {_DIGITS}")
    return int(text)


_TABLE = (
    _scalar("datetime", datetime, datetimes.write_datetime, datetimes.read_datetime),
    _scalar("date", date, datetimes.write_date, datetimes.read_date),
    _scalar("time", time, datetimes.write_time, datetimes.read_time),
    _scalar("timedelta", timedelta, datetimes.write_timedelta, datetimes.read_timedelta),
    _scalar("bytes", bytes, _write_bytes, _read_bytes),
    _scalar("decimal", Decimal, _write_decimal, _read_decimal),
    _scalar("uuid", UUID, _write_uuid, _read_uuid),
    _scalar("int", int, _write_int, _read_int),
    _scalar(FAILED_TAG, ParentFailed, write_failure, read_failure),
    _scalar(RESULTS_TAG, GroupResults, write_results, read_results),
)

SCALAR_OF: dict[type, Scalar] = {scalar.kind: scalar for scalar in _TABLE}
SCALAR_TAGGED: dict[str, Scalar] = {scalar.tag: scalar for scalar in _TABLE}
