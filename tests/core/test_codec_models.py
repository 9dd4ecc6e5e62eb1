"""Pydantic models: what was set is validated, what was not is kept."""

from __future__ import annotations

import sys
from uuid import UUID

import pydantic
import pytest

from windlass.core.codec import Codec
from windlass.errors import ConfigError, PayloadError


def through(value: object, cls: type) -> object:
    codec = Codec(types=[cls])
    return codec.decode_result(None, codec.encode_result(None, value))


class User(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow")

    id: int = pydantic.Field(alias="userId", gt=0)
    friend: User | None = None
    token: UUID = pydantic.Field(default_factory=lambda: UUID(int=len(made)))
    nick: str = None  # type: ignore[assignment]  # Pydantic does not validate defaults


made: list[UUID] = []


def test_a_model_comes_back_with_what_was_set_and_what_was_not() -> None:
    user = User.model_validate({"userId": 1, "friend": User(userId=2), "$": (1,), "more": b"x"})
    made.append(user.token)
    back = through(user, User)
    assert back == user
    assert isinstance(back, User)
    assert back.model_fields_set == user.model_fields_set == {"id", "friend", "$", "more"}
    assert isinstance(back.friend, User)


def test_a_model_is_validated_again() -> None:
    """What lies in the store is hostile data; a model that was rebuilt is a valid one."""
    for fields in ('{"id":0}', "{}", '{"id":"x"}', '{"userId":1}'):
        with pytest.raises(PayloadError, match="cannot be rebuilt as model: ValidationError"):
            Codec(types=[User]).decode_result(None, f'{{"$":"model","t":"User","v":{fields}}}')


@pytest.mark.parametrize("unset", ['{"__class__":1}', '{"id":0}', '{"nick":5}', '{"token":"x"}', "[]", "null"])
def test_unset_fields_are_no_way_around_validation(unset: str) -> None:
    text = f'{{"$":"model","t":"User","v":{{"id":1}},"unset":{unset}}}'
    with pytest.raises(PayloadError):
        Codec(types=[User]).decode_result(None, text)


class Numbers(pydantic.RootModel[dict[str, int]]): ...


def test_a_root_model_comes_back() -> None:
    assert through(Numbers({"root": 1}), Numbers) == Numbers({"root": 1})


class Words(pydantic.RootModel[list[str]]):
    root: list[str] = ["a"]


def test_a_root_model_at_its_default_comes_back() -> None:
    assert through(Words(), Words) == Words()


def test_programs_without_pydantic_are_not_made_to_import_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "pydantic")
    with pytest.raises(ConfigError):
        Codec(types=[User])
    assert "pydantic" not in sys.modules
