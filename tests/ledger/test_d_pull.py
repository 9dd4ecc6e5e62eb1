"""The pull queue: the caller drives."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from tests.ledger.apps import Apps, failure_of
from windlass import (
    ClaimedJob,
    ConfigError,
    IllegalTransition,
    JobNotFound,
    LeaseLost,
    PayloadError,
    Progress,
    Retry,
    State,
    Windlass,
)
from windlass.testing import ManualClock

VERBS: dict[str, Callable[[ClaimedJob], None]] = {
    "complete": lambda claimed: claimed.complete(),
    "fail": lambda claimed: claimed.fail("broken"),
    "discard": lambda claimed: claimed.discard("broken"),
    "release": lambda claimed: claimed.release(),
    "extend": lambda claimed: claimed.extend("1h"),
    "progress": lambda claimed: claimed.progress(0.5),
}

ENDINGS: dict[str, Callable[[ClaimedJob], None]] = {
    "completed": lambda claimed: claimed.complete(),
    "failed": lambda claimed: claimed.discard("broken"),
}


@pytest.fixture(autouse=True)
def _tasks(app: Windlass) -> None:
    @app.task(name="speak", queue="tts", retry=Retry(jitter=0))
    def speak(text: str, *, voice: str = "alto") -> str:
        raise AssertionError("a pulled job runs elsewhere")


def claimed(app: Windlass, lease: str = "5m", **options: Any) -> ClaimedJob:
    app.enqueue_many([app.request("speak", ("hello",), {"voice": "bass"}, **options)])
    [one] = app.claim(queues=["tts"], lease=lease)
    return one


def test_claim_hands_out_jobs_with_their_arguments(app: Windlass) -> None:
    """D1: up to n, in order, each with id, job, args, kwargs and fence."""
    jobs = app.tasks[0].enqueue_many([("a",), ("b",), ("c",)])
    first, second = app.claim(2, queues=["tts"])
    assert [first.id, second.id] == [jobs[0].id, jobs[1].id]
    assert (first.args, first.kwargs, first.fence) == (("a",), {}, 1)
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


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("ending", ENDINGS)
def test_what_has_ended_cannot_be_ended_again(app: Windlass, verb: str, ending: str) -> None:
    """D1: IllegalTransition names the state, and nothing changes."""
    one = claimed(app)
    ENDINGS[ending](one)
    before = one.job.record
    with pytest.raises(IllegalTransition, match=ending):
        VERBS[verb](one)
    assert one.job.record == before


@pytest.mark.parametrize("verb", VERBS)
def test_what_was_given_back_is_lost(app: Windlass, verb: str) -> None:
    """D1: after release the claim is over; LeaseLost, and nothing changes."""
    one = claimed(app)
    one.release()
    before = one.job.record
    with pytest.raises(LeaseLost):
        VERBS[verb](one)
    assert one.job.record == before


@pytest.mark.parametrize("verb", VERBS)
def test_a_job_that_is_gone_is_not_found(app: Windlass, verb: str) -> None:
    """D1: JobNotFound."""
    one = claimed(app)
    one.complete()
    one.job.delete()
    with pytest.raises(JobNotFound):
        VERBS[verb](one)


@pytest.mark.parametrize("verb", VERBS)
def test_a_handle_is_rebuilt_elsewhere(app: Windlass, new_app: Apps, verb: str) -> None:
    """D1: from id and fence, in another process."""
    one = claimed(app)
    rebuilt = new_app().lease(one.id, one.fence)
    assert (rebuilt.args, rebuilt.kwargs) == (("hello",), {"voice": "bass"})
    VERBS[verb](rebuilt)


@pytest.mark.parametrize("limit", [0, -1, 1.5, "all", 10_001])
def test_a_limit_that_makes_no_sense_is_refused(app: Windlass, limit: Any) -> None:
    """D1: the error names it."""
    with pytest.raises(ConfigError, match="limit"):
        app.claim(limit)


@pytest.mark.parametrize("lease", [-1, "soon", 0])
def test_a_lease_that_makes_no_sense_is_refused(app: Windlass, lease: Any) -> None:
    """D1: so is a length of time that is none."""
    with pytest.raises(ConfigError, match="lease"):
        app.claim(lease=lease)


def test_a_claim_is_charged_at_once(app: Windlass) -> None:
    """D2: nobody may tell whether a pulled job was started; an ending charges nothing more."""
    one = claimed(app)
    assert one.job.attempt == 1
    one.fail("broken")
    assert one.job.attempt == 1


def test_what_ran_out_of_time_comes_back_as_often_as_it_has_attempts(app: Windlass, clock: ManualClock) -> None:
    """D2: then it is a dead letter; the errors are kept as a list."""
    job = claimed(app, lease="1m", attempts=3).job
    for _ in range(2):
        clock.advance("1m")
        assert [rescued.state for rescued in app.rescue()] == [State.PENDING]
        assert len(app.claim(lease="1m")) == 1
    clock.advance("1m")
    assert [rescued.state for rescued in app.rescue()] == [State.FAILED]
    job.refresh()
    assert (job.reason, job.attempt, len(job.errors)) == ("attempts", 3, 3)
    assert {error.message for error in job.errors} == {"visibility time ran out"}
    assert app.claim() == []


def test_a_release_refunds(app: Windlass) -> None:
    """D2: as often as one likes."""
    one = claimed(app, attempts=1)
    for _ in range(5):
        one.release()
        [one] = app.claim()
    one.fail("broken")
    assert (one.job.state, one.job.attempt) == (State.FAILED, 1)


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


@pytest.mark.asyncio
async def test_every_verb_has_an_async_form(app: Windlass, clock: ManualClock) -> None:
    """D5: with the same effects."""
    verbs: dict[str, tuple[Callable[[ClaimedJob], Awaitable[None]], State]] = {
        "complete": (lambda claimed: claimed.acomplete("done"), State.COMPLETED),
        "fail": (lambda claimed: claimed.afail("broken"), State.RETRYING),
        "discard": (lambda claimed: claimed.adiscard("broken"), State.FAILED),
        "release": (lambda claimed: claimed.arelease(), State.PENDING),
        "extend": (lambda claimed: claimed.aextend("1h"), State.RUNNING),
        "progress": (lambda claimed: claimed.aprogress(0.5), State.RUNNING),
    }
    await app.tasks[0].aenqueue_many([("hello",)] * len(verbs))
    handed_out = await app.aclaim(len(verbs), lease="1m")
    for one, (verb, state) in zip(handed_out, verbs.values(), strict=True):
        await verb(one)
        assert (await app.ajob(one.id)).state is state


@pytest.mark.asyncio
async def test_async_verbs_are_fenced_too(app: Windlass, clock: ManualClock) -> None:
    """D5: LeaseLost and IllegalTransition as in sync code."""
    await app.tasks[0].aenqueue_many([("a",), ("b",)])
    [old] = await app.aclaim(lease="1m")
    clock.advance("2m")
    await app.aclaim(lease="1m")
    with pytest.raises(LeaseLost):
        await old.acomplete()
    [other] = await app.aclaim()
    await other.acomplete()
    with pytest.raises(IllegalTransition):
        await other.afail("broken")


def test_async_forms_work_on_any_loop(app: Windlass) -> None:
    """D5: the app is bound to none."""

    async def one_round() -> str:
        job = await app.tasks[0].aenqueue("hello")
        [claimed] = await app.aclaim()
        await claimed.acomplete("done")
        return str(await job.aresult(timeout=10))

    assert [asyncio.run(one_round()) for _ in range(2)] == ["done", "done"]


def test_a_claim_promotes_what_is_due(app: Windlass, clock: ManualClock) -> None:
    """D6: with no worker anywhere."""
    job = app.tasks[0].options(delay="1m").enqueue("hello")
    assert app.claim() == []
    clock.advance("1m")
    assert [one.id for one in app.claim()] == [job.id]


def test_a_claim_rescues_what_expired(app: Windlass, clock: ManualClock) -> None:
    """D6: the same call hands it out again."""
    one = claimed(app, lease="1m")
    assert app.claim() == []
    clock.advance("1m")
    [again] = app.claim()
    assert (again.id, again.fence > one.fence) == (one.id, True)


def test_a_retry_comes_back_without_a_worker(app: Windlass, clock: ManualClock) -> None:
    """D6: when its delay is over."""
    claimed(app).fail("broken")
    assert app.claim() == []
    clock.advance("1s")
    assert len(app.claim()) == 1
