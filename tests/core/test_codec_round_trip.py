"""B1: whatever is stored comes back exactly."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum, Flag, IntEnum, StrEnum, auto
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windlass.core.codec import Codec


class Colour(Enum):
    RED = object()
    BLUE = 2


class Size(StrEnum):
    SMALL = "s"


class Rank(IntEnum):
    FIRST = 1


class Right(Flag):
    READ = auto()
    WRITE = auto()


@dataclass(frozen=True)
class Pair:
    left: object
    right: object


CODEC = Codec(types=[Colour, Size, Rank, Right, Pair])


def through(value: object) -> object:
    (back,), _ = CODEC.decode_call(None, CODEC.encode_call(None, (value,), {}))
    return back


def exactly(value: object) -> Hashable:
    """A form in which values are equal only if they have the same types and parts throughout."""
    if isinstance(value, dict):
        return dict, tuple((exactly(key), exactly(part)) for key, part in value.items())
    if isinstance(value, list | tuple):
        return type(value), tuple(exactly(part) for part in value)
    if isinstance(value, set | frozenset):
        return type(value), frozenset(exactly(part) for part in value)
    if isinstance(value, Pair):
        return Pair, exactly(value.left), exactly(value.right)
    return type(value), repr(value)


offsets = st.builds(timedelta, seconds=st.integers(-86_399, 86_399))
zones = st.none() | st.timezones() | st.builds(timezone, offsets)
moments = st.one_of(
    st.builds(datetime.replace, st.datetimes(timezones=zones), fold=st.integers(0, 1)),
    st.builds(time.replace, st.times(timezones=zones), fold=st.integers(0, 1)),
    st.dates(),
    st.timedeltas(),
)
numbers = st.one_of(
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.decimals(allow_nan=False, allow_infinity=False),
)
members = st.sampled_from([*Colour, *Size, *Rank, *Right, Right.READ | Right.WRITE, Right(0)])
leaves = st.one_of(st.none(), st.booleans(), numbers, st.text(), st.binary(), st.uuids(), moments, members)
hashables = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(tuple), st.frozensets(inner, max_size=3), st.builds(Pair, inner, inner)
    ),
    max_leaves=5,
)
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(st.text(max_size=5) | st.sampled_from(["$", "v", "t"]), inner, max_size=4),
        st.dictionaries(hashables, inner, max_size=3),
        st.sets(hashables, max_size=4),
        st.frozensets(hashables, max_size=4),
        st.builds(Pair, inner, inner),
    ),
    max_leaves=15,
)


@settings(max_examples=300)
@given(values)
def test_any_nesting_of_storable_values_comes_back_exactly(value: object) -> None:
    """B1: round trips are exact."""
    assert exactly(through(value)) == exactly(value)


@settings(max_examples=100)
@given(values)
def test_what_came_back_gives_the_same_text_again(value: object) -> None:
    text = CODEC.encode_call(None, (value,), {})
    args, kwargs = CODEC.decode_call(None, text)
    assert CODEC.encode_call(None, args, kwargs) == text


@settings(max_examples=100)
@given(values)
def test_results_come_back_exactly_too(value: object) -> None:
    text = CODEC.encode_result(None, value)
    assert exactly(CODEC.decode_result(None, text)) == exactly(value)


BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("value", "form"),
    [
        (datetime(2026, 1, 2, 3, 4, 5, 6, UTC), {"$": "datetime", "v": "2026-01-02T03:04:05.000006+00:00"}),
        (datetime(2026, 1, 2), {"$": "datetime", "v": "2026-01-02T00:00:00"}),  # noqa: DTZ001 - naive is the case
        (
            datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN, fold=1),
            {"$": "datetime", "v": "2026-10-25T02:30:00+01:00", "zone": "Europe/Berlin", "fold": 1},
        ),
        (
            datetime(2026, 1, 2, tzinfo=timezone(timedelta(hours=1), "CET")),
            {"$": "datetime", "v": "2026-01-02T00:00:00+01:00", "name": "CET"},
        ),
        (date(2026, 1, 2), {"$": "date", "v": "2026-01-02"}),
        (time(3, 4, tzinfo=UTC), {"$": "time", "v": "03:04:00+00:00"}),
        (timedelta(days=-1, microseconds=5), {"$": "timedelta", "v": [-1, 0, 5]}),
        (b"\x00\xff", {"$": "bytes", "v": "AP8="}),
        (Decimal("-0.00"), {"$": "decimal", "v": "-0.00"}),
        (UUID(int=1), {"$": "uuid", "v": "00000000-0000-0000-0000-000000000001"}),
        (2**63, {"$": "int", "v": "9223372036854775808"}),
        (-(2**63) - 1, {"$": "int", "v": "-9223372036854775809"}),
        ((1, "a"), {"$": "tuple", "v": [1, "a"]}),
        ({10, 9, 1}, {"$": "set", "v": [1, 10, 9]}),
        (frozenset({"b", "a"}), {"$": "frozenset", "v": ["a", "b"]}),
        ({1: "a"}, {"$": "dict", "v": [[1, "a"]]}),
        ({"$": 1, "a": 2}, {"$": "dict", "v": [["$", 1], ["a", 2]]}),
        (Colour.RED, {"$": "enum", "t": "Colour", "v": "RED"}),
        (Right.READ | Right.WRITE, {"$": "enum", "t": "Right", "v": 3}),
        (Pair(1, None), {"$": "dataclass", "t": "Pair", "v": {"left": 1, "right": None}}),
    ],
)
def test_each_type_has_its_documented_form(value: object, form: dict[str, object]) -> None:
    """B1: the encodings of docs/payload-format.md; stored jobs depend on every one of them."""
    plain = Codec()
    assert CODEC.encode_result(None, value) == plain.encode_meta(form)
    assert exactly(through(value)) == exactly(value)


@pytest.mark.parametrize(
    "value", [0, -1, 2**63 - 1, -(2**63), 1.0, -0.0, 5e-324, 1e308, True, None, "", "é\0\u2028", [], {}]
)
def test_plain_json_values_have_no_tag(value: object) -> None:
    text = CODEC.encode_call(None, (value,), {})
    assert '"$"' not in text
    assert exactly(through(value)) == exactly(value)


def test_a_named_fixed_offset_keeps_its_name() -> None:
    back = through(datetime(2026, 1, 2, tzinfo=timezone(timedelta(hours=1), "CET")))
    assert isinstance(back, datetime)
    assert back.tzname() == "CET"


def test_wall_time_and_zone_win_over_an_offset_from_older_rules() -> None:
    """The zone's rules may change while a job waits; the appointment stays at its local time."""
    text = '{"$":"datetime","v":"2030-07-01T12:00:00+05:00","zone":"Europe/Berlin"}'
    assert CODEC.decode_result(None, text) == datetime(2030, 7, 1, 12, tzinfo=BERLIN)


def test_utc_may_be_written_as_z_by_other_languages() -> None:
    text = '{"$":"datetime","v":"2026-01-02T00:00:00Z"}'
    assert CODEC.decode_result(None, text) == datetime(2026, 1, 2, tzinfo=UTC)


def test_dicts_keep_the_order_of_their_keys() -> None:
    back = through({"b": 1, "a": 2})
    assert isinstance(back, dict)
    assert list(back) == ["b", "a"]
