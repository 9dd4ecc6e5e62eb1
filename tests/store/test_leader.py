"""leader: one of many leads a duty, under a term that only grows."""

from __future__ import annotations

import pytest

from tests.store.builders import SECOND
from tests.store.stores import Store
from windlass.store.operations.upkeep import leader
from windlass.store.operations.upkeep.leader import Lead

TEN = 10 * SECOND


def lead(store: Store, holder: str, duty: str = "prune") -> Lead:
    return store.run(leader.take_lead(duty, holder=holder, ttl=TEN))


def leads(store: Store, term: Lead) -> bool:
    return store.run(leader.still_leads(term))


def test_the_first_to_ask_leads(store: Store) -> None:
    """A leader lease for duties that must run once."""
    assert lead(store, "a") == Lead("prune", "a", 1, TEN)
    store.advance(SECOND)
    assert lead(store, "b") == Lead("prune", "a", 1, 9 * SECOND)


def test_the_leader_keeps_its_term_by_asking_again(store: Store) -> None:
    lead(store, "a")
    store.advance(9 * SECOND)
    assert lead(store, "a") == Lead("prune", "a", 1, TEN)
    store.advance(9 * SECOND)
    assert lead(store, "b").holder == "a"


@pytest.mark.parametrize(("step", "holder"), [(TEN - 1, "a"), (TEN, "b"), (-TEN, "a"), (-TEN - 1, "b")])
def test_a_lead_that_is_over_is_taken_in_both_directions_of_time(store: Store, step: int, holder: str) -> None:
    """No clock jump holds a lead longer than its length."""
    lead(store, "a")
    store.advance(step)
    found = lead(store, "b")
    assert (found.holder, found.term) == (holder, 2 if holder == "b" else 1)


def test_each_new_leader_has_a_higher_term(store: Store) -> None:
    """A stale leader's writes are refused by its term."""
    terms = []
    for holder in "abab":
        terms.append(lead(store, holder).term)
        store.advance(TEN)
    assert terms == [1, 2, 3, 4]


def test_only_the_current_term_leads(store: Store) -> None:
    first = lead(store, "a")
    assert leads(store, first)
    store.advance(TEN)
    assert not leads(store, first), "its time is over"
    second = lead(store, "b")
    assert (leads(store, first), leads(store, second)) == (False, True)


def test_a_leader_that_lost_the_lead_and_won_it_back_has_a_new_term(store: Store) -> None:
    first = lead(store, "a")
    store.advance(TEN)
    lead(store, "b")
    store.advance(TEN)
    third = lead(store, "a")
    assert (leads(store, first), leads(store, third)) == (False, True)


def test_a_leader_that_resigns_is_followed_at_once(store: Store) -> None:
    """Taken over without waiting for the lease."""
    first = lead(store, "a")
    assert store.run(leader.resign(first))
    assert not leads(store, first)
    assert lead(store, "b") == Lead("prune", "b", 2, TEN)


def test_a_term_never_comes_twice_also_for_one_that_resigned(store: Store) -> None:
    first = lead(store, "a")
    store.run(leader.resign(first))
    again = lead(store, "a")
    assert again.term > first.term
    assert not leads(store, first)


def test_a_stale_leader_gives_up_nothing(store: Store) -> None:
    """Resigning late must not end the successor's term."""
    first = lead(store, "a")
    store.advance(TEN)
    second = lead(store, "b")
    assert not store.run(leader.resign(first))
    assert leads(store, second)


def test_resigning_twice_is_harmless(store: Store) -> None:
    first = lead(store, "a")
    assert (store.run(leader.resign(first)), store.run(leader.resign(first))) == (True, False)


def test_each_duty_has_a_leader_of_its_own(store: Store) -> None:
    lead(store, "a", "prune")
    assert lead(store, "b", "alerts").holder == "b"


def test_nobody_leads_a_duty_that_nobody_asked_for(store: Store) -> None:
    assert not leads(store, Lead("never", "a", 1, TEN))
