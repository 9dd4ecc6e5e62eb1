"""What a store makes only when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from windlass.store.on_demand import OnDemand
from windlass.store.postgres.statements import statements
from windlass.store.redis.scripts import load_scripts
from windlass.store.statement_files import load_calls


def test_a_value_is_made_once_when_it_is_first_asked_for() -> None:
    made: list[str] = []

    def make(name: str) -> list[str]:
        made.append(name)
        return [name]

    values = OnDemand(["one", "two"], make)
    assert (set(values), len(values), "one" in values, made) == ({"one", "two"}, 2, True, [])
    assert values["one"] is values["one"]
    assert made == ["one"]


def test_a_name_that_is_not_known_is_missing_and_not_made() -> None:
    values = OnDemand(["one"], lambda name: name)
    assert (values.get("two"), "two" in values) == (None, False)
    with pytest.raises(KeyError, match="two"):
        values["two"]


def test_what_cannot_be_made_is_tried_again() -> None:
    answers = iter([False, True])

    def make(name: str) -> str:
        if not next(answers):
            raise ValueError(name)
        return name

    values = OnDemand(["one"], make)
    with pytest.raises(ValueError, match="one"):
        values["one"]
    assert values["one"] == "one"


def test_every_call_of_every_store_can_be_put_together() -> None:
    """Also those that no process has asked for yet."""
    stores: list[Mapping[str, object]] = [
        load_calls("windlass.store.sqlite", prefix="windlass_"),
        statements("windlass"),
        load_scripts(),
    ]
    assert all(part for calls in stores for part in calls.values())
