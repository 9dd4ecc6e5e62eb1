"""B2: what cannot be stored exactly is refused at the call, naming the argument and the place inside it."""

from __future__ import annotations

import socket
import struct
import sys
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone, tzinfo
from decimal import Decimal
from enum import Enum
from io import BytesIO
from typing import NamedTuple
from zoneinfo import ZoneInfo

import pytest

from windlass.core.codec import Codec, Limits
from windlass.errors import PayloadError

CODEC = Codec()


def refusal_of(*args: object, **kwargs: object) -> str:
    with pytest.raises(PayloadError) as caught:
        CODEC.encode_call(None, args, kwargs)
    return str(caught.value)


def greet(user: object, *others: object) -> None: ...


def test_the_error_names_the_argument_the_place_and_the_remedy() -> None:
    """A1: an argument that cannot be stored is a clear error at the call."""
    user = {"address": [1, 2, 3, socket.socket]}
    with pytest.raises(PayloadError) as caught:
        CODEC.encode_call(CODEC.signature(greet), (user,), {})
    assert str(caught.value) == (
        "argument 'user' (at .address[3]): type cannot be stored; "
        "pass plain data or register the class with Windlass(types=[...])"
    )


@pytest.mark.parametrize(
    ("position", "name"), [(0, "argument 'user':"), (1, "positional argument 2:"), (2, "positional argument 3:")]
)
def test_positional_arguments_go_by_name_as_far_as_they_have_one(position: int, name: str) -> None:
    args: list[object] = [1, 2, 3]
    args[position] = object()
    with pytest.raises(PayloadError, match=f"^{name} object"):
        CODEC.encode_call(CODEC.signature(greet), args, {})


def test_a_keyword_argument_goes_by_its_name() -> None:
    assert refusal_of(1, b=object()).startswith("argument 'b': object cannot")


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ([[object()]], "[0][0]"),
        ((1, object()), "[1]"),
        ({"a b": object()}, "['a b']"),
        ({1: object()}, "[1]"),
        ({(1, 2): object()}, "[tuple key]"),
        ({1: 2, "$": {"x": object()}}, "['$'].x"),
        ({frozenset({object()}): 1}, "[frozenset key]{...}"),
        ({"k" * 100: object()}, "['kkkkkkkkkkkk...kkkkkkkkkkkkk']"),
    ],
)
def test_the_path_leads_to_the_value(value: object, path: str) -> None:
    assert f"(at {path})" in refusal_of(value)


def test_a_long_path_is_shown_by_its_ends() -> None:
    value: object = object()
    for _ in range(20):
        value = [value]
    assert "(at [0][0][0][0]...[0][0][0][0])" in refusal_of(value)


class Text(str):
    __slots__ = ()


class Number(int): ...


class Items(list[int]): ...


class Coordinates(NamedTuple):
    x: int


@pytest.mark.parametrize(
    ("value", "base"),
    [(Text("a"), "str"), (Number(1), "int"), (Items(), "list"), (OrderedDict(a=1), "dict"), (Coordinates(1), "tuple")],
)
def test_instances_of_subclasses_of_plain_types_are_refused(value: object, base: str) -> None:
    """They would come back as the plain type, and B1 promises exactness."""
    assert f"is a subclass of {base} and would not come back as one" in refusal_of(value)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf"), Decimal("NaN"), Decimal("Infinity")])
def test_numbers_that_are_not_finite_are_refused(number: object) -> None:
    """B2: NaN."""
    assert refusal_of({"rate": number}) == "positional argument 1 (at .rate): NaN and infinity cannot be stored"


@pytest.mark.parametrize("value", ["\ud800", ["\udfff"], {"\ud83d": 1}, {1: "\ud83d"}, {"\ud800"}])
def test_lone_surrogates_are_refused(value: object) -> None:
    assert "lone surrogate" in refusal_of(value)


def test_a_keyword_with_a_lone_surrogate_is_refused() -> None:
    assert "lone surrogate" in refusal_of(**{"\ud800": 1})


def test_a_keyword_of_another_type_is_refused() -> None:
    assert "must be plain text" in refusal_of(**{Text("a"): 1})


@pytest.mark.parametrize("value", [bytearray(b"a"), memoryview(b"a"), 1j, range(3), len, int, ..., NotImplemented])
def test_what_has_no_form_is_refused(value: object) -> None:
    assert "cannot be stored; pass plain data" in refusal_of(value)


class Nowhere(tzinfo):
    def utcoffset(self, at: datetime | None, /) -> timedelta:
        return timedelta(0)

    def dst(self, at: datetime | None, /) -> None: ...

    def tzname(self, at: datetime | None, /) -> str:
        return "nowhere"


UTC_FILE = b"TZif" + bytes(16) + struct.pack(">6l", 0, 0, 0, 0, 1, 4) + struct.pack(">lbb", 0, 0, 0) + b"UTC\0"


@pytest.mark.parametrize("zone", [Nowhere(), ZoneInfo.from_file(BytesIO(UTC_FILE))])
def test_a_time_zone_without_a_key_is_refused(zone: tzinfo) -> None:
    assert "use zoneinfo.ZoneInfo(key) or datetime.timezone" in refusal_of(datetime(2026, 1, 1, tzinfo=zone))


def test_an_offset_with_a_fraction_of_a_second_is_refused() -> None:
    """Python itself does not read all of them back from ISO text."""
    zone = timezone(timedelta(microseconds=1))
    assert "fraction of a second" in refusal_of(datetime(2026, 1, 1, tzinfo=zone))


def test_ints_are_stored_up_to_4300_digits() -> None:
    """B2, RELIABILITY 3: ints are bounded, so that reading one cannot take for ever."""
    largest = 10**4300 - 1
    args, _ = CODEC.decode_call(None, CODEC.encode_call(None, (largest, -largest), {}))
    assert args == (largest, -largest)
    assert "more than 4300 digits" in refusal_of(largest + 1)
    assert "more than 4300 digits" in refusal_of(-largest - 1)


def test_a_program_that_allows_fewer_digits_stores_no_more_of_them() -> None:
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(700)
    try:
        assert "digits cannot be stored" in refusal_of(10**800)
    finally:
        sys.set_int_max_str_digits(before)


def nested(levels: int, wrap: Callable[[object], object]) -> object:
    value: object = 1
    for _ in range(levels):
        value = wrap(value)
    return value


@dataclass(frozen=True)
class Box:
    content: object


WRAPPERS: list[Callable[[object], object]] = [
    lambda value: [value],
    lambda value: {"a": value},
    lambda value: (value,),
    lambda value: {1: value},
    lambda value: frozenset({value}),
    Box,
]


@pytest.mark.parametrize("wrap", WRAPPERS)
def test_values_may_be_nested_up_to_the_limit(wrap: Callable[[object], object]) -> None:
    """B2: deeper than 64 is refused; 63 and 64 come back."""
    codec = Codec(types=[Box])
    for levels in (63, 64):
        value = nested(levels, wrap)
        assert codec.decode_call(None, codec.encode_call(None, (value,), {})) == ((value,), {})
    with pytest.raises(PayloadError, match="nested deeper than the limit of 64 levels"):
        codec.encode_call(None, (nested(65, wrap),), {})


def test_the_depth_is_checked_on_the_way_out_too() -> None:
    text = Codec(limits=Limits(depth=70)).encode_call(None, (nested(65, WRAPPERS[0]),), {})
    with pytest.raises(PayloadError, match="nested deeper"):
        CODEC.decode_call(None, text)


def test_a_depth_beyond_what_python_can_follow_is_still_one_clear_error() -> None:
    codec = Codec(limits=Limits(depth=1_000_000))
    with pytest.raises(PayloadError, match="recursion limit"):
        codec.encode_call(None, (nested(100_000, WRAPPERS[0]),), {})
    with pytest.raises(PayloadError, match="recursion limit"):
        codec.encode_meta({"deep": nested(100_000, WRAPPERS[0])})


def test_a_value_that_contains_itself_is_refused() -> None:
    items: list[object] = []
    items.append(items)
    mapping: dict[str, object] = {}
    mapping["self"] = [mapping]
    assert "contains itself" in refusal_of(items)
    assert "contains itself" in refusal_of(mapping)


def test_the_same_object_twice_is_no_cycle() -> None:
    shared = [1]
    args, _ = CODEC.decode_call(None, CODEC.encode_call(None, ([shared, shared],), {}))
    assert args == ([[1], [1]],)


class Colour(Enum):
    RED = 1


@pytest.mark.parametrize("value", [Colour.RED, Box(1)])
def test_a_class_nobody_named_is_refused_with_both_remedies(value: object) -> None:
    message = refusal_of(value)
    assert "annotate the parameter with it" in message
    assert "register the class with Windlass(types=[...])" in message


def test_a_result_that_cannot_be_stored_is_called_the_result() -> None:
    """B2: such a job ends as failed(result)."""
    with pytest.raises(PayloadError, match=r"^result \(at \.file\): object cannot be stored"):
        CODEC.encode_result(None, {"file": object()})
