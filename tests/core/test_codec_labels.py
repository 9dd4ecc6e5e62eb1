"""The labels by which classes are stored, and who goes by them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec
import pytest

from windlass.core.codec import Codec
from windlass.errors import ConfigError


def namesake(module: str, qualname: str) -> type[Any]:
    """A dataclass called Point, as if it were defined elsewhere."""

    @dataclass(frozen=True)
    class Point:
        x: int

    Point.__module__, Point.__qualname__ = module, qualname
    return Point


def label_in(text: str | None) -> object:
    assert text is not None
    form = msgspec.json.decode(text)
    return form["t"]


@pytest.mark.parametrize(
    ("others", "label"),
    [
        ([], "Point"),
        ([("shop", "Map.Point")], "Plan.Point"),
        ([("map", "Plan.Point")], "shop:Plan.Point"),
    ],
)
def test_a_label_is_as_short_as_it_can_be(others: list[tuple[str, str]], label: str) -> None:
    point = namesake("shop", "Plan.Point")
    codec = Codec(types=[point, *(namesake(*names) for names in others)])
    text = codec.encode_result(None, point(1))
    assert label_in(text) == label
    assert type(codec.decode_result(None, text)) is point


def test_longer_labels_stay_readable_when_the_namesake_is_gone() -> None:
    point = namesake("shop", "Plan.Point")
    for label in ("Point", "Plan.Point", "shop:Plan.Point"):
        text = f'{{"$":"dataclass","t":"{label}","v":{{"x":1}}}}'
        assert Codec(types=[point]).decode_result(None, text) == point(1)


def test_two_classes_that_nothing_tells_apart_cannot_be_registered() -> None:
    with pytest.raises(ConfigError, match="two classes are both called 'shop:Point'"):
        Codec(types=[namesake("shop", "Point"), namesake("shop", "Point")])


def test_the_same_class_may_be_registered_twice() -> None:
    point = namesake("shop", "Point")
    assert label_in(Codec(types=[point, point]).encode_result(None, point(1))) == "Point"


def test_a_task_reads_its_own_class_whatever_others_register() -> None:
    own, other = namesake("shop", "Point"), namesake("map", "Point")

    def task(point: object) -> None: ...

    task.__annotations__["point"] = own
    text = Codec().encode_call(Codec().signature(task), (own(1),), {})
    codec = Codec(types=[other])
    args, _ = codec.decode_call(codec.signature(task), text)
    assert [type(arg) for arg in args] == [own]


def test_namesakes_of_a_task_and_the_app_are_told_apart() -> None:
    own, other = namesake("shop", "Point"), namesake("map", "Point")

    def task(point: object) -> None: ...

    task.__annotations__["point"] = own
    codec = Codec(types=[other])
    signature = codec.signature(task)
    args, _ = codec.decode_call(signature, codec.encode_call(signature, (other(1), own(1)), {}))
    assert [type(arg) for arg in args] == [other, own]
