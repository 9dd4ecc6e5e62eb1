"""The store is not trusted: whatever lies there gives a value or PayloadError, and imports nothing."""

from __future__ import annotations

import base64
import json
import pickle
import sys
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from windlass.core.codec import Codec, Signature
from windlass.errors import PayloadError


class Colour(Enum):
    RED = 1


@dataclass(frozen=True)
class Point:
    x: object

    def __hash__(self) -> int:
        if self.x == "unhashable":
            raise RuntimeError("hash")
        return hash(self.x)

    def __post_init__(self) -> None:
        if self.x == "refused":
            raise LookupError("post_init")


def task(point: Point, colour: Colour) -> None: ...


CODEC = Codec()
SIGNATURE = CODEC.signature(task)
TAGS = ["datetime", "date", "time", "timedelta", "bytes", "decimal", "uuid", "int", "tuple", "set", "frozenset"]
TAGS += ["dict", "enum", "dataclass", "model", "struct", "attrs", "pickle", ""]
WORDS = ["$", "v", "t", "zone", "name", "fold", "unset", "x", "Point", "Colour", "RED", "refused", "unhashable"]
WORDS += ["2026-01-01T00:00:00", "12:00", "Europe/Berlin", "America", "../UTC", "1", "AA==", "NaN", "1e999999999999"]

leaves = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.sampled_from(TAGS + WORDS), st.text()
)
json_values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(WORDS), inner, max_size=4),
        st.fixed_dictionaries({"$": st.sampled_from(TAGS), "v": inner}, optional={"t": inner, "zone": inner}),
        st.fixed_dictionaries({"$": st.sampled_from(TAGS), "t": st.sampled_from(WORDS), "v": inner}),
    ),
    max_leaves=20,
)


def survives(text: str, signature: Signature | None = SIGNATURE) -> None:
    with suppress(PayloadError):
        CODEC.decode_call(signature, text)
    with suppress(PayloadError):
        CODEC.decode_result(signature, text)
    with suppress(PayloadError):
        CODEC.decode_meta(text)


@settings(max_examples=300)
@given(st.text())
@example("\ud800")
@example('"\\ud800"')
@example("\0")
@example("\ufeff{}")
@example("[" * 100_000)
@example('{"v":1,"args":' + "[" * 900 + "]" * 900 + ',"kwargs":{}}')
@example('{"v":1,"args":[' + '{"$":"tuple","v":[' * 400 + "]}" * 400 + '],"kwargs":{}}')
@example("9" * 5000)
@example("1e400")
@example("NaN")
def test_any_text_gives_a_value_or_a_payload_error(text: str) -> None:
    """B32, RELIABILITY 3: only the declared error escapes."""
    survives(text)


@settings(max_examples=1000)
@given(json_values)
def test_any_json_gives_a_value_or_a_payload_error(value: object) -> None:
    text = json.dumps(value)
    survives(text)
    survives(f'{{"v":1,"args":[{text}],"kwargs":{{"k":{text}}}}}')


@settings(max_examples=300)
@given(st.data())
def test_a_damaged_payload_gives_a_value_or_a_payload_error(data: st.DataObject) -> None:
    text = CODEC.encode_call(SIGNATURE, (Point((1, b"a")), Colour.RED), {"k": {1: {2, 3}}})
    at = data.draw(st.integers(0, len(text) - 1))
    length = data.draw(st.integers(0, 5))
    survives(text[:at] + data.draw(st.text(max_size=3)) + text[at + length :])


@pytest.mark.parametrize(
    "form",
    [
        '{"$":null}',
        '{"$":1,"v":1}',
        '{"$":["tuple"],"v":[]}',
        '{"$":"nothing","v":1}',
        '{"$":"tuple"}',
        '{"$":"tuple","v":{}}',
        '{"$":"tuple","v":"ab"}',
        '{"$":"tuple","v":[],"more":1}',
        '{"$":"tuple","t":"Point","v":[]}',
        '{"$":"set","v":[[]]}',
        '{"$":"set","v":[{"$":"dataclass","t":"Point","v":{"x":"unhashable"}}]}',
        '{"$":"dict","v":[[1]]}',
        '{"$":"dict","v":[[1,2,3]]}',
        '{"$":"dict","v":[[[],1]]}',
        '{"$":"dict","v":[[1,2],[1,3]]}',
        '{"$":"dict","v":{"a":1}}',
        '{"$":"datetime","v":1}',
        '{"$":"datetime","v":"tomorrow"}',
        '{"$":"datetime","v":"2026-01-01","zone":"Mars/Base"}',
        '{"$":"datetime","v":"2026-01-01","zone":"America"}',
        '{"$":"datetime","v":"2026-01-01","zone":"../../etc/passwd"}',
        '{"$":"datetime","v":"2026-01-01","zone":"/etc/passwd"}',
        '{"$":"datetime","v":"2026-01-01","zone":"a\\u0000b"}',
        '{"$":"datetime","v":"2026-01-01","zone":""}',
        '{"$":"datetime","v":"2026-01-01","zone":null}',
        '{"$":"datetime","v":"2026-01-01","fold":2}',
        '{"$":"datetime","v":"2026-01-01","fold":true}',
        '{"$":"datetime","v":"2026-01-01","name":"X"}',
        '{"$":"date","v":"2026-02-30"}',
        '{"$":"time","v":"25:00"}',
        '{"$":"timedelta","v":[1,2]}',
        '{"$":"timedelta","v":[1,2,"3"]}',
        '{"$":"timedelta","v":[1.5,0,0]}',
        '{"$":"timedelta","v":[9999999999999999,0,0]}',
        '{"$":"bytes","v":"a"}',
        '{"$":"bytes","v":"é"}',
        '{"$":"bytes","v":"YQ==\\n"}',
        '{"$":"decimal","v":"one"}',
        '{"$":"decimal","v":"NaN"}',
        '{"$":"decimal","v":"-Infinity"}',
        '{"$":"decimal","v":1.5}',
        '{"$":"uuid","v":"1"}',
        '{"$":"int","v":"1_000"}',
        '{"$":"int","v":" 1"}',
        '{"$":"int","v":"0x10"}',
        '{"$":"int","v":"١"}',
        '{"$":"int","v":"' + "9" * 4301 + '"}',
        '{"$":"dataclass","t":"Point","v":{"x":"refused"}}',
        '{"$":"dataclass","t":"Point","v":{"__class__":1}}',
        '{"$":"dataclass","t":"Point","v":{"x":1,"self":2}}',
        '{"$":"dataclass","t":"Point"}',
        '{"$":"dataclass","t":null,"v":{}}',
        '{"$":"dataclass","t":["Point"],"v":{}}',
        '{"$":"dataclass","t":"Colour","v":{}}',
        '{"$":"enum","t":"Point","v":"RED"}',
    ],
)
def test_a_hostile_tag_is_refused_and_the_argument_named(form: str) -> None:
    with pytest.raises(PayloadError, match=r"^argument 'point' \(at \[0\]"):
        CODEC.decode_call(SIGNATURE, f'{{"v":1,"args":[[{form}]],"kwargs":{{}}}}')


@pytest.mark.parametrize("label", ["antigravity:x", "antigravity", "os:system", "builtins:eval", "__main__:Point"])
@pytest.mark.parametrize("tag", ["dataclass", "enum", "model"])
def test_a_stored_class_name_is_never_imported(tag: str, label: str) -> None:
    """A1, RELIABILITY 3: no stored name is ever imported."""
    before = set(sys.modules)
    text = f'{{"v":1,"args":[{{"$":"{tag}","t":"{label}","v":{{}}}}],"kwargs":{{}}}}'
    with pytest.raises(PayloadError, match=f"no {tag} class is known as '{label}'"):
        CODEC.decode_call(SIGNATURE, text)
    assert set(sys.modules) == before


def test_a_class_is_only_known_to_tasks_that_name_it() -> None:
    text = CODEC.encode_call(SIGNATURE, (Point(1),), {})
    with pytest.raises(PayloadError, match="no dataclass class is known as 'Point'"):
        CODEC.decode_call(None, text)


def test_pickled_data_is_only_undecodable_text() -> None:
    """B1: never pickle."""
    pickled = pickle.dumps(Colour.RED)
    for text in (pickled.decode("latin-1"), base64.b64encode(pickled).decode()):
        with pytest.raises(PayloadError):
            CODEC.decode_call(SIGNATURE, text)


def test_an_error_does_not_repeat_a_huge_stored_value() -> None:
    for form in (f'{{"$":"{"x" * 10_000}"}}', f'{{"$":"enum","t":"{"x" * 10_000}","v":1}}'):
        with pytest.raises(PayloadError) as caught:
            CODEC.decode_call(SIGNATURE, f'{{"v":1,"args":[{form}],"kwargs":{{}}}}')
        assert len(str(caught.value)) < 500
