"""SmoothWeights: fair shares without bursts."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.core.round_robin import SmoothWeights

weights_of_queues = st.dictionaries(
    st.text("abcdef", min_size=1, max_size=3), st.integers(1, 1000), min_size=1, max_size=8
)


def contending(weights: dict[str, int]) -> SmoothWeights:
    """All names contend."""
    dealer = SmoothWeights(weights)
    dealer.join(weights)
    return dealer


def dealt(weights: SmoothWeights, portions: list[int]) -> Counter[str]:
    total: Counter[str] = Counter()
    for places in portions:
        total.update(weights.deal(places))
    return total


def test_places_go_by_weight() -> None:
    """B3: fair weights."""
    assert contending({"mail": 3, "default": 1}).deal(8) == {"mail": 6, "default": 2}


@pytest.mark.parametrize("portion", [1, 7, 200])
def test_shares_are_within_three_per_cent_over_ten_thousand_claims(portion: int) -> None:
    """B3: shares within 3 % of the weights over 10,000 claims, however many are claimed at once."""
    weights = {"a": 50, "b": 30, "c": 15, "d": 4, "e": 1}
    total = dealt(contending(weights), [portion] * (10_000 // portion))
    for name, weight in weights.items():
        assert total[name] / total.total() == pytest.approx(weight / 100, rel=0.03), name


@given(weights=weights_of_queues, portions=st.lists(st.integers(0, 50), max_size=30))
def test_every_place_is_dealt_and_nobody_is_far_from_a_fair_share(weights: dict[str, int], portions: list[int]) -> None:
    total = dealt(contending(weights), portions)
    assert total.total() == sum(portions)
    for name, weight in weights.items():
        fair = sum(portions) * weight / sum(weights.values())
        assert abs(total[name] - fair) <= len(weights), name


@given(weights=weights_of_queues)
def test_nobody_starves(weights: dict[str, int]) -> None:
    """B3: a queue with work gets a place within one round of all weights."""
    assert set(dealt(contending(weights), [1] * sum(weights.values()))) == set(weights)


def test_places_are_spread_not_bunched() -> None:
    weights = contending({"a": 5, "b": 1, "c": 1})
    order = [next(iter(weights.deal(1))) for _ in range(7)]
    assert order == ["a", "b", "a", "a", "a", "c", "a"]


def test_the_share_of_an_empty_queue_goes_to_the_others() -> None:
    """B3: what a queue cannot use goes to the others, by their weights."""
    weights = contending({"a": 6, "b": 3, "c": 1})
    weights.leave(["a"])
    assert weights.deal(400) == {"b": 300, "c": 100}


def test_a_queue_that_comes_back_gets_its_share_and_no_more() -> None:
    weights = contending({"a": 1, "b": 1})
    weights.leave(["b"])
    weights.deal(1_000)
    weights.join(["b"])
    assert weights.deal(10) == {"a": 5, "b": 5}


def test_a_queue_that_was_passed_by_gets_its_share_and_no_more() -> None:
    weights = contending({"a": 1, "b": 1, "c": 1})
    assert weights.deal(1_000, without={"b"}) == {"a": 500, "c": 500}
    assert weights.deal(15) == {"a": 5, "b": 5, "c": 5}


@given(weights=weights_of_queues, moves=st.lists(st.tuples(st.sampled_from("jldc"), st.integers(0, 7)), max_size=60))
def test_only_those_who_contend_get_places_and_every_place_is_dealt(
    weights: dict[str, int], moves: list[tuple[str, int]]
) -> None:
    names, dealer, contenders = list(weights), SmoothWeights(weights), set[str]()
    for move, number in moves:
        name = names[number % len(names)]
        match move:
            case "j":
                dealer.join([name])
                contenders.add(name)
            case "l":
                dealer.leave([name])
                contenders.discard(name)
            case "c":
                dealer.change(name, number + 1)
            case _:
                given_out = dealer.deal(number)
                assert sum(given_out.values()) == (number if contenders else 0)
                assert given_out.keys() <= contenders
        assert set(dealer.contenders) == contenders


def test_ten_thousand_queues_take_turns() -> None:
    """B3: each of them gets a place before any gets its second one."""
    names = {f"q{number}": 1 for number in range(10_000)}
    weights = contending(names)
    assert [weights.deal(200).keys() for _ in range(50)] == [weights.deal(200).keys() for _ in range(50)]
    assert dealt(weights, [200] * 50) == Counter(names)


class CountedName(str):
    """A name that counts how often it is compared or looked up."""

    looks = 0

    def __hash__(self) -> int:
        CountedName.looks += 1
        return super().__hash__()

    def __eq__(self, other: object) -> bool:
        return super().__eq__(other)


def test_what_a_place_costs_does_not_grow_with_the_queues() -> None:
    """With 10,000 queues a cycle took seconds."""

    def looks_of(count: int) -> int:
        weights = contending({CountedName(f"q{number}"): 1 + number % 3 for number in range(count)})
        CountedName.looks = 0
        weights.deal(200)
        return CountedName.looks

    assert looks_of(10_000) <= 2 * looks_of(100)


def test_those_who_come_and_go_leave_nothing_behind() -> None:
    weights = contending({"a": 1, "b": 1})
    for _ in range(1_000):
        weights.leave(["a"])
        weights.join(["a"])
    assert len(weights._heap) < 200  # noqa: SLF001


def test_a_changed_weight_holds_from_then_on() -> None:
    weights = contending({"a": 1, "b": 1})
    weights.deal(10)
    weights.change("a", 3)
    assert weights.deal(400) == {"a": 300, "b": 100}


def test_a_weight_for_a_queue_that_is_not_served_changes_nothing() -> None:
    weights = contending({"a": 1})
    weights.change("b", 9)
    assert weights.names == ("a",)


@pytest.mark.parametrize("places", [0, -1])
def test_no_places_are_nobodys(places: int) -> None:
    assert contending({"a": 1}).deal(places) == {}
    assert contending({"a": 1, "b": 1}).deal(places) == {}


def test_nobody_asked_is_nobody_served() -> None:
    assert SmoothWeights({"a": 1, "b": 1}).deal(5) == {}
    assert contending({"a": 1, "b": 1}).deal(5, without={"a", "b"}) == {}
