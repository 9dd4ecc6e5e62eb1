"""Schedules: a store and the model of it agree on what becomes of every slot."""

from __future__ import annotations

import pytest

from tests.model.histories import fresh_places, fresh_stores, run_histories
from tests.model.machine import ScheduleMachine
from tests.model.tally import Tally
from tests.model.test_store_model import seed
from tests.places.fixtures import PlaceOn

__all__ = ["seed"]

MUST_BE_SEEN = (
    "fires by a leader of before",
    "fires of what has changed",
    "slot held",
    "slot made",
    "slot noted",
    "slot overlap",
    "slot stays",
    "slot unique",
    "slots missed",
)
"""A run that never met one of these has proved nothing about it."""


@pytest.mark.timeout(600)
def test_store_and_model_agree_on_every_slot(seed: int) -> None:
    tally = Tally()
    run_histories(fresh_stores("sqlite:///:memory:"), seed=seed, steps=2_500, tally=tally, machine=ScheduleMachine)
    assert tally.steps >= 2_500
    assert not tally.missing(MUST_BE_SEEN), str(tally)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("store", ["postgres", "redis"])
def test_a_server_and_the_model_agree_on_every_slot(store: str, seed: int, place_on: PlaceOn) -> None:
    tally = Tally()
    run_histories(fresh_places(lambda: place_on(store)), seed=seed, steps=800, tally=tally, machine=ScheduleMachine)
    assert tally.steps >= 800
