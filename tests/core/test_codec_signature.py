"""What the codec learns from annotations."""

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal, NewType, Optional, TypeVar, Union

import pydantic
import pytest
from typing_extensions import TypeAliasType

from windlass.core.codec import Codec
from windlass.errors import PayloadError

if TYPE_CHECKING:
    from decimal import Decimal as Absent

T = TypeVar("T")


class Colour(Enum):
    RED = 1


@dataclass(frozen=True)
class Point:
    x: int
    colour: "Colour | None" = None


@dataclass
class Node:
    next: "Node | None" = None
    points: list[Point] = field(default_factory=list)


@dataclass
class Crate(Generic[T]):
    content: T


class Order(pydantic.BaseModel):
    point: Point


Dot = NewType("Dot", Point)
Bound = TypeVar("Bound", bound=Colour)
CODEC = Codec()


def annotated(annotation: object) -> Callable[..., object]:
    def task(value: object) -> None: ...

    task.__annotations__ = {"value": annotation}
    return task


@pytest.mark.parametrize(
    ("annotation", "classes"),
    [
        (int, set()),
        (None, set()),
        (Any, set()),
        (Colour, {Colour}),
        ("Colour", {Colour}),
        (Optional[Colour], {Colour}),  # noqa: UP045 - the old spelling is the case
        (Union[int, Colour], {Colour}),  # noqa: UP007 - the old spelling is the case
        (Colour | None, {Colour}),
        (Point, {Point, Colour}),
        (list[Point], {Point, Colour}),
        (list["Point"], {Point, Colour}),
        (dict[str, Colour], {Colour}),
        (dict[Colour, tuple[Point, ...]], {Point, Colour}),
        (Annotated[Colour, "note"], {Colour}),
        (Literal[Colour.RED, 1], {Colour}),
        (Callable[[Colour], int], {Colour}),
        (Dot, {Point, Colour}),
        (Bound, {Colour}),
        (Node, {Node, Point, Colour}),
        (Crate[Point], {Crate, Point, Colour}),
        (Order, {Order, Point, Colour}),
        (type[Colour], {Colour}),
        (TypeAliasType("Colours", list[Colour]), {Colour}),
    ],
)
def test_classes_are_found_wherever_an_annotation_names_them(annotation: object, classes: set[type]) -> None:
    signature = CODEC.signature(annotated(annotation))
    assert signature.parameters == {"value": classes}


def test_a_class_in_the_annotations_can_be_passed_and_comes_back() -> None:
    def paint(points: list[Point], colour: Colour = Colour.RED) -> None: ...

    signature = CODEC.signature(paint)
    text = CODEC.encode_call(signature, ([Point(1, Colour.RED)],), {"colour": Colour.RED})
    assert CODEC.decode_call(signature, text) == (([Point(1, Colour.RED)],), {"colour": Colour.RED})


def test_the_return_annotation_counts_for_results() -> None:
    def look() -> dict[str, Point]:
        return {}

    signature = CODEC.signature(look)
    assert signature.returns == {Point, Colour}
    assert CODEC.decode_result(signature, CODEC.encode_result(signature, {"a": Point(1)})) == {"a": Point(1)}


def test_a_subclass_of_an_annotated_class_is_not_known_by_it() -> None:
    @dataclass(frozen=True)
    class Point3(Point):
        z: int = 0

    with pytest.raises(PayloadError, match=r"the class .*Point3 is not known here"):
        CODEC.encode_call(CODEC.signature(annotated(Point)), (Point3(1),), {})


def test_an_annotation_that_cannot_be_resolved_counts_as_none() -> None:
    def task(a: object, b: Colour, c: object, d: object, *rest: "Colour") -> None: ...

    task.__annotations__ |= {"a": "Absent", "c": "list[Missing]", "d": "1 +", "return": "Absent"}
    signature = CODEC.signature(task)
    assert signature.parameters == {"a": set(), "b": {Colour}, "c": set(), "d": set(), "rest": {Colour}}
    assert signature.returns == frozenset()
    assert signature.positional == ("a", "b", "c", "d")


def test_a_field_that_cannot_be_resolved_does_not_hide_the_others() -> None:
    @dataclass
    class Half:
        a: "Absent"
        b: "Colour"

    signature = CODEC.signature(annotated(Half))
    assert signature.parameters == {"value": {Half, Colour}}


def test_a_decorated_function_shows_its_own_annotations() -> None:
    def task(colour: Colour) -> None: ...

    @functools.wraps(task)
    def wrapper(*args: object) -> None: ...

    assert CODEC.signature(wrapper).parameters == {"colour": {Colour}}


@pytest.mark.parametrize("function", [max, dict.get, functools.partial(max, 1), type, Order])
def test_a_callable_that_tells_little_is_no_problem(function: Callable[..., object]) -> None:
    signature = CODEC.signature(function)
    assert CODEC.decode_call(signature, CODEC.encode_call(signature, (1,), {"a": 2})) == ((1,), {"a": 2})


def test_internals_of_a_model_are_not_made_storable() -> None:
    assert CODEC.signature(annotated(Order)).scope.known.keys() == {Order, Point, Colour}
