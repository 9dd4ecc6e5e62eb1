"""Rates of queues as a worker knows them: what it fetches ahead."""

from __future__ import annotations

import pytest

from tests.worker.test_capacity import a_room, dealt
from windlass.store.operations.cycle import RateState


@pytest.mark.parametrize(("tokens", "asked"), [(0, 10), (999, 10), (1000, 200), (10**7, 200)])
def test_a_queue_whose_tokens_may_run_out_is_not_fetched_ahead(tokens: int, asked: int) -> None:
    """C6: a token that was taken for a job that goes back unstarted is lost; where there are plenty, no matter."""
    room = a_room({"mail": 1}, quick=("mail",))
    room.rates.note(["mail"], [RateState("mail", tokens, 0)], now=0.0)
    assert dealt(room) == {"mail": asked}


def test_a_rate_that_is_taken_back_holds_nothing_back() -> None:
    room = a_room({"mail": 1}, quick=("mail",))
    room.rates.note(["mail"], [RateState("mail", 3, 0)], now=0.0)
    room.rates.note(["other"], [], now=0.0)
    assert dealt(room) == {"mail": 10}
    room.rates.note(["mail"], [], now=0.0)
    assert dealt(room) == {"mail": 200}


def test_a_queue_that_is_not_asked_keeps_no_other_from_being_fetched_ahead() -> None:
    room = a_room({"mail": 1, "default": 1}, quick=("default",))
    room.rates.note(["mail"], [RateState("mail", 0, 60_000)], now=0.0)
    room.note_claimed([("mail", 5)], [])
    assert dealt(room) == {"default": 200}
