"""Flows and durable steps: a store and the model of it agree on what waits for what, and on what a run finds again."""

from __future__ import annotations

import pytest

from tests.model.histories import fresh_places, fresh_stores, run_histories
from tests.model.machine import FlowMachine
from tests.model.tally import Tally
from tests.model.test_store_model import seed
from tests.places.fixtures import PlaceOn

__all__ = ["seed"]

MUST_BE_SEEN = (
    "children cancelled",
    "children released",
    "children taken back",
    "errors passed on",
    "events between look and sleep",
    "events got",
    "callbacks before a retry",
    "groups",
    "links run by hand",
    "members added",
    "members refused",
    "parents lost for good",
    "results of groups",
    "results passed on",
    "steps found again",
    "steps recorded",
    "steps refused",
)
"""A run that never met one of these has proved nothing about it."""


@pytest.mark.timeout(600)
def test_store_and_model_agree_on_flows_and_steps(seed: int) -> None:
    """B34, B36, F4."""
    tally = Tally()
    opener = fresh_stores("sqlite:///:memory:")
    run_histories(opener, seed=seed, steps=1_500, tally=tally, machine=FlowMachine, must_see=MUST_BE_SEEN)
    assert tally.steps >= 1_500
    assert not tally.missing(MUST_BE_SEEN), str(tally)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("store", ["postgres", "redis"])
def test_a_server_and_the_model_agree_on_flows_and_steps(store: str, seed: int, place_on: PlaceOn) -> None:
    """B34, B36, F4."""
    tally = Tally()
    run_histories(fresh_places(lambda: place_on(store)), seed=seed, steps=500, tally=tally, machine=FlowMachine)
    assert tally.steps >= 500
