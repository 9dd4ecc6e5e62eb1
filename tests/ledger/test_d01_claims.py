"""Claiming jobs and driving them by hand."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.ledger.apps import failure_of
from tests.ledger.manual_claims import claimed, declare
from windlass import PayloadError, Progress, State, Windlass
from windlass.testing import ManualClock


@pytest.fixture(autouse=True)
def _tasks(app: Windlass) -> None:
    declare(app)


def test_claim_hands_out_jobs_with_their_arguments(app: Windlass) -> None:
    """D1: up to n, in order, each with id, job, args, kwargs and fence."""
    jobs = app.tasks[0].enqueue_many([("a",), ("b",), ("c",)])
    first, second = app.claim(2, queues=["tts"])
    assert [first.id, second.id] == [jobs[0].id, jobs[1].id]
    assert (first.args, first.kwargs, first.fence) == (("a",), {}, jobs[0].refresh().fence)
    assert (first.job, first.job.state) == (jobs[0], State.RUNNING)
    [third] = app.claim(5, queues=["tts"])
    assert third.id == jobs[2].id
    assert app.claim(5, queues=["tts"]) == []


def test_claim_takes_from_the_queues_that_tasks_name(app: Windlass) -> None:
    """D1: when none is given; those given otherwise, whatever they hold."""
    app.enqueue("speak", "a")
    app.enqueue_many([app.request("anything", queue="elsewhere")])
    assert len(app.claim(10)) == 1
    [other] = app.claim(10, queues=["elsewhere", "nowhere"])
    assert other.job.task == "anything"


def test_the_visibility_time_is_five_minutes(app: Windlass, clock: ManualClock) -> None:
    """D1: by default; another length can be asked for."""
    app.tasks[0].enqueue_many([("a",), ("b",)])
    app.claim()
    app.claim(lease="10m")
    clock.advance("299s")
    assert app.rescue() == []
    clock.advance("1s")
    assert len(app.rescue()) == 1
    clock.advance("5m")
    assert len(app.rescue()) == 1


def test_complete_keeps_the_result(app: Windlass) -> None:
    """D1: for whoever waits."""
    one = claimed(app)
    one.complete({"seconds": 3})
    assert one.job.result() == {"seconds": 3}
    assert one.job.attempt == 1


def test_a_result_that_cannot_be_stored_leaves_the_claim(app: Windlass) -> None:
    """D1: PayloadError; the job still runs, and may be ended otherwise."""
    one = claimed(app)
    with pytest.raises(PayloadError, match="result"):
        one.complete(object())
    assert one.job.state is State.RUNNING
    one.complete("plain")


def test_fail_follows_the_retry_rules(app: Windlass, clock: ManualClock) -> None:
    """D1: retrying after the rule's delay or one of one's own; failed when used up."""
    one = claimed(app, attempts=3)
    one.fail("no voice")
    assert (one.job.state, one.job.run_at - clock.now()) == (State.RETRYING, timedelta(seconds=1))
    clock.advance("1s")
    [second] = app.claim()
    second.fail("no voice", delay="1m")
    assert second.job.run_at - clock.now() == timedelta(minutes=1)
    clock.advance("1m")
    [third] = app.claim()
    third.fail("still none")
    assert (third.job.state, third.job.reason, third.job.attempt) == (State.FAILED, "attempts", 3)
    assert failure_of(third.job).message == "still none"


def test_fail_takes_an_exception(app: Windlass) -> None:
    """D1: its type, message and traceback are kept."""
    one = claimed(app)
    try:
        raise LookupError("no voice")
    except LookupError as error:
        one.fail(error)
    [kept] = one.job.errors
    assert (kept.type, kept.message) == ("LookupError", "no voice")
    assert "raise LookupError" in kept.traceback


def test_discard_fails_for_good(app: Windlass) -> None:
    """D1: whatever attempts are left."""
    one = claimed(app)
    one.discard("not a text")
    assert (one.job.state, one.job.reason) == (State.FAILED, "permanent")


def test_release_gives_back_at_once(app: Windlass) -> None:
    """D1: the job waits again, uncharged."""
    one = claimed(app)
    one.release()
    assert (one.job.state, one.job.attempt) == (State.PENDING, 0)
    assert len(app.claim()) == 1


def test_extend_prolongs_from_now(app: Windlass, clock: ManualClock) -> None:
    """D1: longer or shorter than before."""
    one = claimed(app, lease="1m")
    clock.advance("59s")
    one.extend("1h")
    clock.advance("59m")
    assert app.rescue() == []
    one.extend("1s")
    clock.advance("1s")
    assert len(app.rescue()) == 1


def test_progress_is_shown(app: Windlass) -> None:
    """D1: how far it is, with a word."""
    one = claimed(app)
    one.progress(0.4, "half way")
    assert one.job.progress == Progress(0.4, "half way")
