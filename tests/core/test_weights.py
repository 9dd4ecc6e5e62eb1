"""SmoothWeights: fair shares without bursts."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.core.weights import SmoothWeights

weights_of_queues = st.dictionaries(
    st.text("abcdef", min_size=1, max_size=3), st.integers(1, 1000), min_size=1, max_size=8
)


def dealt(weights: SmoothWeights, portions: list[int]) -> Counter[str]:
    total: Counter[str] = Counter()
    for places in portions:
        total.update(weights.deal(places))
    return total


def test_places_go_by_weight() -> None:
    """B3: fair weights."""
    assert SmoothWeights({"mail": 3, "default": 1}).deal(8) == {"mail": 6, "default": 2}


@pytest.mark.parametrize("portion", [1, 7, 200])
def test_shares_are_within_three_per_cent_over_ten_thousand_claims(portion: int) -> None:
    """B3: shares within 3 % of the weights over 10,000 claims, however many are claimed at once."""
    weights = {"a": 50, "b": 30, "c": 15, "d": 4, "e": 1}
    total = dealt(SmoothWeights(weights), [portion] * (10_000 // portion))
    for name, weight in weights.items():
        assert total[name] / total.total() == pytest.approx(weight / 100, rel=0.03), name


@given(weights=weights_of_queues, portions=st.lists(st.integers(0, 50), max_size=30))
def test_every_place_is_dealt_and_nobody_is_far_from_a_fair_share(weights: dict[str, int], portions: list[int]) -> None:
    total = dealt(SmoothWeights(weights), portions)
    assert total.total() == sum(portions)
    for name, weight in weights.items():
        fair = sum(portions) * weight / sum(weights.values())
        assert abs(total[name] - fair) <= len(weights), name


@given(weights=weights_of_queues)
def test_nobody_starves(weights: dict[str, int]) -> None:
    """B3: a queue with work gets a place within one round of all weights."""
    assert set(dealt(SmoothWeights(weights), [1] * sum(weights.values()))) == set(weights)


def test_places_are_spread_not_bunched() -> None:
    weights = SmoothWeights({"a": 5, "b": 1, "c": 1})
    order = [next(iter(weights.deal(1))) for _ in range(7)]
    assert order == ["a", "a", "b", "a", "c", "a", "a"]


def test_the_share_of_an_empty_queue_goes_to_the_others() -> None:
    """B3: what a queue cannot use goes to the others, by their weights."""
    weights = SmoothWeights({"a": 6, "b": 3, "c": 1})
    assert weights.deal(400, among={"b", "c"}) == {"b": 300, "c": 100}


def test_a_queue_that_comes_back_gets_its_share_and_no_more() -> None:
    weights = SmoothWeights({"a": 1, "b": 1})
    weights.deal(1_000, among={"a"})
    assert weights.deal(10) == {"a": 5, "b": 5}


def test_a_changed_weight_holds_from_then_on() -> None:
    weights = SmoothWeights({"a": 1, "b": 1})
    weights.deal(10)
    weights.change("a", 3)
    assert weights.deal(400) == {"a": 300, "b": 100}


def test_a_weight_for_a_queue_that_is_not_served_changes_nothing() -> None:
    weights = SmoothWeights({"a": 1})
    weights.change("b", 9)
    assert weights.names == ("a",)


@pytest.mark.parametrize("places", [0, -1])
def test_no_places_are_nobodys(places: int) -> None:
    assert SmoothWeights({"a": 1}).deal(places) == {}
    assert SmoothWeights({"a": 1, "b": 1}).deal(places) == {}


def test_nobody_asked_is_nobody_served() -> None:
    assert SmoothWeights({"a": 1, "b": 1}).deal(5, among=()) == {}
