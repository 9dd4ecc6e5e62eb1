"""Point 5 of the engine: a store and the model of it agree on every random history."""

from __future__ import annotations

import os
import sys

import pytest

from tests.model.histories import fresh_places, fresh_stores, run_histories
from tests.model.tally import Tally
from tests.places.fixtures import PlaceOn
from windlass import clock

MUST_BE_SEEN = (
    "IdConflict",
    "QueueFull",
    "asked again",
    "cancels asked for",
    "claims handed out again",
    "deleted",
    "endings refused",
    "extend refused",
    "extend written",
    "id born again",
    "id known",
    "key taken",
    "leases lost",
    "mark refused",
    "mark written",
    "progress refused",
    "progress written",
    "promoted",
    "renewed late",
    "rescheduled",
    "rescued, then cancelled",
    "rescued, then failed",
    "rescued, then pending",
    "rescues outrun",
    "retried by hand",
    "retries kept off by a key",
)
"""A run that never met one of these has proved nothing about it."""


@pytest.fixture
def seed(capfd: pytest.CaptureFixture[str]) -> int:
    """A new one for every run, printed also when all goes well; the environment repeats one."""
    chosen = int(os.environ.get("WINDLASS_MODEL_SEED") or clock.random_bits(31))
    with capfd.disabled():
        print(f"\nWINDLASS_MODEL_SEED={chosen}", file=sys.stderr, flush=True)
    return chosen


# Together 12,000 steps; in two parts, so that two processes share them. Making a failure small may take minutes.
@pytest.mark.timeout(600)
@pytest.mark.parametrize("part", [1, 2])
def test_store_and_model_agree_on_random_histories(part: int, seed: int) -> None:
    tally = Tally()
    run_histories(fresh_stores("sqlite:///:memory:"), seed=seed, steps=6_000, tally=tally, must_see=MUST_BE_SEEN)
    assert tally.steps >= 6_000
    assert not tally.missing(MUST_BE_SEEN), f"part {part}: {tally}"


@pytest.mark.timeout(600)
def test_python_s_own_sqlite_agrees_with_the_model_too(seed: int) -> None:
    tally = Tally()
    run_histories(fresh_stores("sqlite:///:memory:?driver=stdlib"), seed=seed, steps=1_000, tally=tally)
    assert tally.steps >= 1_000


@pytest.mark.timeout(600)
@pytest.mark.parametrize("store", ["postgres", "redis"])
def test_a_server_and_the_model_agree_on_random_histories(store: str, seed: int, place_on: PlaceOn) -> None:
    tally = Tally()
    opener = fresh_places(lambda: place_on(store))
    run_histories(opener, seed=seed, steps=2_500, tally=tally, must_see=MUST_BE_SEEN)
    assert tally.steps >= 2_500
    assert not tally.missing(MUST_BE_SEEN), f"{store}: {tally}"
