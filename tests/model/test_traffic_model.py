"""Keys, rates and cool-downs: a store and the model of it agree on what each of them holds back."""

from __future__ import annotations

import pytest

from tests.model.histories import fresh_places, fresh_stores, run_histories
from tests.model.machine import TrafficMachine
from tests.model.tally import Tally
from tests.model.test_store_model import seed
from tests.places.fixtures import PlaceOn

__all__ = ["seed"]

MUST_BE_SEEN = (
    "blocked",
    "buckets drained",
    "jobs replaced",
    "let go by a limit that grew",
    "out of tokens",
    "throttled",
    "throttled in vain",
    "tokens taken",
    "tokens waited for",
    "turns passed on",
    "waited for a token of their key",
)
"""A run that never met one of these has proved nothing about it."""


@pytest.mark.timeout(600)
def test_store_and_model_agree_on_what_is_held_back(seed: int) -> None:
    """C3, C6, C7."""
    tally = Tally()
    opener = fresh_stores("sqlite:///:memory:")
    run_histories(opener, seed=seed, steps=2_500, tally=tally, machine=TrafficMachine, must_see=MUST_BE_SEEN)
    assert tally.steps >= 2_500
    assert not tally.missing(MUST_BE_SEEN), str(tally)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("store", ["postgres", "redis"])
def test_a_server_and_the_model_agree_on_what_is_held_back(store: str, seed: int, place_on: PlaceOn) -> None:
    """C3, C6, C7."""
    tally = Tally()
    run_histories(fresh_places(lambda: place_on(store)), seed=seed, steps=800, tally=tally, machine=TrafficMachine)
    assert tally.steps >= 800
