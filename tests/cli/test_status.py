"""``windlass status``."""

from __future__ import annotations

from tests.cli.program import Program
from windlass import State


def test_status_shows_store_counts_queues_and_what_needs_a_hand(shop: Program) -> None:
    """A5, C2: jobs that nobody serves are called out."""
    answer = shop("status")
    assert answer.code == 0
    assert str(shop.folder / "windlass.db") in answer.out
    assert "1 scheduled   2 pending   1 completed   1 failed" in answer.out
    assert "queue letters has jobs that are ready, but no worker serves it" in answer.out
    assert "no workers" in answer.out


def test_status_in_json_has_every_state(shop: Program) -> None:
    """A5."""
    status = shop.json("status")
    assert status["counts"] == {str(state): 0 for state in State} | {
        "scheduled": 1,
        "pending": 2,
        "completed": 1,
        "failed": 1,
    }
    assert status["unserved"] == ["letters"]
    assert status["workers"] == []


def test_an_empty_store_is_no_problem(windlass: Program) -> None:
    answer = windlass("status")
    assert answer.code == 0
    assert "no jobs yet" in answer.out
