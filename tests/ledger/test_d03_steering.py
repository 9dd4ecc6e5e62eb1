"""Cancelling, resuming, and bulks of ids that exist."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ledger.manual_claims import VERBS, claimed, declare
from windlass import State, Windlass


@pytest.fixture(autouse=True)
def _tasks(app: Windlass) -> None:
    declare(app)


def test_cancel_before_the_start(app: Windlass) -> None:
    """D3: it is never handed out."""
    job = app.enqueue("speak", "hello")
    assert job.cancel()
    assert app.claim() == []


@pytest.mark.parametrize(
    ("verb", "state"),
    [
        ("complete", State.COMPLETED),
        ("fail", State.CANCELLED),
        ("release", State.CANCELLED),
        ("discard", State.CANCELLED),
    ],
)
def test_cancel_after_the_claim_is_a_request(app: Windlass, verb: str, state: State) -> None:
    """D3: what is completed stays completed; every other ending becomes cancelled."""
    one = claimed(app)
    assert one.job.cancel()
    VERBS[verb](one)
    assert one.job.state is state


def test_a_discarded_job_is_resumed(app: Windlass) -> None:
    """D3: by a retry by hand, with a fresh budget and its history."""
    one = claimed(app, attempts=1)
    one.discard("not a text")
    one.job.retry()
    [again] = app.claim()
    assert (again.id, again.job.attempt, len(again.job.errors)) == (one.id, 1, 1)
    again.complete()


def test_a_bulk_of_ids_that_exist_changes_nothing(app: Windlass) -> None:
    """D4: and each handle says whether it was there already."""
    speak = app.tasks[0]

    def bulk() -> list[Any]:
        return app.enqueue_many([speak.options(id=f"speech-{number}").request("hello") for number in range(5)])

    speak.options(id="speech-3", priority=7).enqueue("hello")
    assert [job.duplicate for job in bulk()] == [False, False, False, True, False]
    before = [job.record for job in app.jobs()]
    assert [job.duplicate for job in bulk()] == [True] * 5
    assert [job.record for job in app.jobs()] == before
    assert app.job("speech-3").priority == 7
