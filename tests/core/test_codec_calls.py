"""The stored form of a call."""

from __future__ import annotations

import json

import pytest

from windlass.core.codec import Codec, NewerFormat
from windlass.errors import PayloadError

CODEC = Codec()


def test_a_call_is_json_with_version_args_and_kwargs() -> None:
    """B1: another language can read it."""
    text = CODEC.encode_call(None, (1, "two"), {"three": [3.5, None, True]})
    assert text.rstrip() == '{"v":1,"args":[1,"two"],"kwargs":{"three":[3.5,null,true]}}'


def test_a_call_comes_back_as_a_tuple_and_a_dict() -> None:
    """A1: positional and keyword arguments."""
    args, kwargs = CODEC.decode_call(None, CODEC.encode_call(None, [1, {"a": [2]}], {"b": (3,)}))
    assert args == (1, {"a": [2]})
    assert kwargs == {"b": (3,)}


def test_the_order_of_keywords_does_not_change_the_text() -> None:
    assert CODEC.encode_call(None, (), {"b": 1, "a": 2}) == CODEC.encode_call(None, (), {"a": 2, "b": 1})


def test_the_history_of_a_set_does_not_change_the_text() -> None:
    grown = set(range(1000))
    grown -= set(range(8, 1000))
    assert CODEC.encode_call(None, (grown, frozenset("ab")), {}) == CODEC.encode_call(
        None, (set(range(7, -1, -1)), frozenset("ba")), {}
    )


def test_a_keyword_that_looks_like_a_tag_is_only_a_name() -> None:
    kwargs = {"$": "datetime", "v": "x", "args": [(1,)]}
    assert CODEC.decode_call(None, CODEC.encode_call(None, (), kwargs)) == ((), kwargs)


@pytest.mark.parametrize(
    "value",
    [
        {"$": "datetime", "v": "2026-01-01"},
        {"$": "enum", "t": "Colour", "v": "RED"},
        {"$": {"$": {"$": None}}},
        [{"$": 1}],
        {"a": {"$": "tuple", "v": []}},
    ],
)
def test_nothing_a_user_passes_is_read_as_a_tag(value: object) -> None:
    args, _ = CODEC.decode_call(None, CODEC.encode_call(None, (value,), {}))
    assert args == (value,)


def test_a_tag_is_found_however_the_dollar_is_escaped() -> None:
    text = r'{"v":1,"args":[{"\u0024":"tuple","v":[1]}],"kwargs":{}}'
    assert CODEC.decode_call(None, text) == (((1,),), {})


def test_text_of_other_writers_may_have_spaces_and_another_order() -> None:
    text = json.dumps({"kwargs": {"b": 1.0}, "args": ["\u00e9"], "v": 1}, indent=2)
    assert CODEC.decode_call(None, text) == (("é",), {"b": 1.0})


def test_nul_inside_an_argument_is_kept_while_the_stored_text_has_none() -> None:
    text = CODEC.encode_call(None, ("a\0b",), {"k\0": "\0"})
    assert "\0" not in text
    assert CODEC.decode_call(None, text) == (("a\0b",), {"k\0": "\0"})


@pytest.mark.parametrize(
    "text",
    [
        '{"v":2,"args":[],"kwargs":{}}',
        '{"v":2,"call":{"anything":1}}',
        '{"v":7}',
        '{"args":"none","v":99999999999999999999}',
    ],
)
def test_a_newer_format_is_told_from_a_corrupt_one(text: str) -> None:
    """B32: newer payload formats are left for newer workers."""
    with pytest.raises(NewerFormat, match="newer than 1"):
        CODEC.decode_call(None, text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{}",
        '{"v":1}',
        '{"v":1,"args":[]}',
        '{"v":1,"args":{},"kwargs":{}}',
        '{"v":1,"args":[],"kwargs":[]}',
        '{"v":1,"args":[],"kwargs":{},"more":1}',
        '{"v":0,"args":[],"kwargs":{}}',
        '{"v":-1,"args":[],"kwargs":{}}',
        '{"v":"1","args":[],"kwargs":{}}',
        '{"v":true,"args":[],"kwargs":{}}',
        '{"v":null,"args":[],"kwargs":{}}',
        '{"args":[],"kwargs":{}}',
        '{"v":1,"args":[],"kwargs":{}} ;',
        '{"v":1,"args":[],"kwargs":{}',
    ],
)
def test_a_call_of_any_other_shape_is_refused(text: str) -> None:
    """B32: a corrupt payload is one declared error."""
    with pytest.raises(PayloadError) as caught:
        CODEC.decode_call(None, text)
    assert not isinstance(caught.value, NewerFormat)


@pytest.mark.parametrize(
    "text",
    [
        '{"v":1,"v":1,"args":[],"kwargs":{}}',
        '{"v":1,"args":[],"kwargs":{"a":1,"a":2}}',
        '{"v":1,"args":[{"b":{"a":1,"a":1}}],"kwargs":{}}',
        '{"v":1,"args":[{"$":"tuple","v":[],"v":[1]}],"kwargs":{}}',
        r'{"v":1,"args":[],"kwargs":{"a":1,"\u0061":2}}',
    ],
)
def test_repeated_keys_are_refused(text: str) -> None:
    """Two readers of such a text may see two different calls."""
    with pytest.raises(PayloadError, match="repeats a key"):
        CODEC.decode_call(None, text)
