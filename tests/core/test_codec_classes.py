"""Instances of classes: taken apart by field, rebuilt by the class itself."""

from __future__ import annotations

from dataclasses import InitVar, dataclass, field
from enum import EJECT, Enum, Flag, auto
from typing import ClassVar

import attrs
import msgspec
import pytest

from windlass.core.codec import Codec
from windlass.errors import ConfigError, PayloadError


def through(value: object, *types: type) -> object:
    codec = Codec(types=types)
    return codec.decode_result(None, codec.encode_result(None, value))


class Stage(Enum):
    DRAFT = "draft"
    SKETCH = DRAFT


class Access(Flag):
    READ = auto()
    WRITE = auto()


class Open(Flag, boundary=EJECT):
    READ = auto()


def test_an_alias_of_an_enum_member_is_that_member() -> None:
    assert through(Stage.SKETCH, Stage) is Stage.DRAFT


@pytest.mark.parametrize("value", [Access(0), Access.READ | Access.WRITE, ~Access.READ])
def test_combined_flags_come_back(value: Access) -> None:
    assert through(value, Access) is value


@pytest.mark.parametrize(
    "text",
    [
        '{"$":"enum","t":"Stage","v":"draft"}',
        '{"$":"enum","t":"Stage","v":1}',
        '{"$":"enum","t":"Stage","v":"__class__"}',
        '{"$":"enum","t":"Access","v":64}',
        '{"$":"enum","t":"Access","v":"READ"}',
        '{"$":"enum","t":"Access","v":true}',
        '{"$":"enum","t":"Open","v":64}',
    ],
)
def test_only_members_of_an_enum_are_rebuilt(text: str) -> None:
    with pytest.raises(PayloadError):
        Codec(types=[Stage, Access, Open]).decode_result(None, text)


@dataclass
class Invoice:
    net: int
    tax: int = 0
    gross: int = field(init=False, default=0)
    runs: ClassVar[int] = 0

    def __post_init__(self) -> None:
        type(self).runs += 1
        self.net *= 2
        self.gross = self.net + self.tax


def test_a_dataclass_is_rebuilt_by_its_init_and_not_changed_twice() -> None:
    invoice = Invoice(10, 1)
    runs = Invoice.runs
    assert through(invoice, Invoice) == invoice
    assert Invoice.runs == runs + 1


def test_a_field_that_was_changed_after_init_comes_back_changed() -> None:
    invoice = Invoice(10)
    invoice.gross = 7
    back = through(invoice, Invoice)
    assert isinstance(back, Invoice)
    assert back.gross == 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    street: str
    lines: tuple[str, ...] = ()


def test_a_frozen_slotted_dataclass_comes_back() -> None:
    address = Address(street="High Street", lines=("a", "b"))
    assert through(address, Address) == address


def test_a_field_newer_than_the_call_gets_its_default() -> None:
    """Rolling deploys: old calls are read by new code."""
    text = '{"$":"dataclass","t":"Address","v":{"street":"High Street"}}'
    assert Codec(types=[Address]).decode_result(None, text) == Address(street="High Street")


@pytest.mark.parametrize("fields", ['{"street":"a","nr":1}', "{}", "[]", "null", '{"$":"dict","v":[[1,2]]}'])
def test_fields_that_do_not_fit_the_class_are_refused(fields: str) -> None:
    text = f'{{"$":"dataclass","t":"Address","v":{fields}}}'
    with pytest.raises(PayloadError):
        Codec(types=[Address]).decode_result(None, text)


def test_an_attribute_that_was_never_set_is_refused() -> None:
    with pytest.raises(PayloadError, match="Address cannot be read: AttributeError"):
        Codec(types=[Address]).encode_result(None, Address.__new__(Address))


@dataclass
class NeedsMore:
    name: str
    secret: InitVar[str]


@dataclass
class OwnInit:
    name: str

    def __init__(self) -> None:
        self.name = "fixed"


@dataclass
class Listing(list[int]):
    name: str


class Undecorated(Invoice): ...


class Ordinary: ...


@pytest.mark.parametrize("cls", [NeedsMore, OwnInit, Listing, Undecorated, Ordinary, int, dict])
def test_a_class_that_cannot_be_rebuilt_exactly_cannot_be_registered(cls: type) -> None:
    with pytest.raises(ConfigError, match=f"types: {cls.__qualname__} cannot be stored"):
        Codec(types=[cls])


def test_only_classes_can_be_registered() -> None:
    with pytest.raises(ConfigError, match="is not a class"):
        Codec(types=[list[int]])


class Track(msgspec.Struct, frozen=True, rename="camel"):
    sound_file: str
    parts: tuple[int, ...] = ()


def test_a_struct_comes_back() -> None:
    assert through(Track("a.ogg", (1, 2)), Track) == Track("a.ogg", (1, 2))


class Doubled(msgspec.Struct):
    number: int

    def __post_init__(self) -> None:
        self.number *= 2


def test_a_struct_is_not_changed_twice() -> None:
    assert through(Doubled(2), Doubled) == Doubled(2)


def test_an_attrs_class_comes_back() -> None:
    point: type = attrs.make_class(
        "Point", {"x": attrs.field(), "_y": attrs.field(converter=str), "z": attrs.field(init=False, default=0)}
    )
    value = point(x=(1,), y=2)
    object.__setattr__(value, "z", 5)
    assert through(value, point) == value
