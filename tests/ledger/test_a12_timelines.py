"""A job's life, told afterwards."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from tests.ledger.apps import LONG_LEASE, gate, work
from tests.places.raw_store import RawStore
from tests.waiting import PATIENCE, eventually
from windlass import Job, LeaseLost, Retry, Snooze, State, Windlass
from windlass.core.fault import add_fault
from windlass.insight.timeline import timeline
from windlass.store.operations.queries import JobHistory
from windlass.testing import ManualClock


def kinds(job: Job[Any]) -> list[str]:
    return [entry.kind for entry in job.timeline()]


@pytest.fixture(autouse=True)
def _tasks(app: Windlass) -> None:
    @app.task(name="noop", queue="mail")
    def noop() -> None: ...

    @app.task(name="fail")
    def fail() -> None:
        raise OSError("broken")


def test_a_job_that_waits(app: Windlass, clock: ManualClock) -> None:
    """A12: created, with its queue and task."""
    [entry] = app.enqueue("noop").timeline()
    assert (entry.kind, entry.at, entry.detail) == ("created", clock.now(), {"queue": "mail", "task": "noop"})


def test_the_happy_path(app: Windlass) -> None:
    """A12: created, claimed, started, completed, with worker and fence; nothing else was written down."""
    job = app.enqueue("noop")
    work(app, name="alpha", version="1", id="2")
    created, claimed, started, completed = job.timeline()
    assert [created.kind, claimed.kind, started.kind, completed.kind] == kinds(job)
    assert kinds(job) == ["created", "claimed", "started", "completed"]
    assert created.worker is None
    for entry in (claimed, started, completed):
        assert (entry.worker, entry.fence) == ("alpha-worker-1-2", job.refresh().fence)


def test_the_happy_path_costs_no_event(app: Windlass, raw_store: RawStore) -> None:
    """A12: it is told from the job's own columns; only the unusual is written down."""
    app.enqueue_many([app.request("noop") for _ in range(50)])
    work(app)
    assert raw_store.events() == 0


def test_a_delayed_job(app: Windlass, clock: ManualClock) -> None:
    """A12: when it is due, and when it was promoted."""
    job = app.tasks[0].options(delay="10m").enqueue()
    due = job.timeline()[-1]
    assert (due.kind, due.at) == ("due", job.run_at)
    clock.advance("10m")
    app.promote()
    promoted = job.timeline()[-1]
    assert (promoted.kind, promoted.at) == ("promoted", clock.now())


def test_a_running_job_shows_the_last_heartbeat(app: Windlass, clock: ManualClock) -> None:
    """A12: when its worker was last heard of, while it runs."""
    with gate() as busy:

        @app.task
        def slow() -> None:
            busy.wait()

        job = slow.enqueue()
        with app.worker(lease="600ms", heartbeat="20ms", name="alpha", version="1", id="2"):
            busy.await_entered()
            clock.advance("500ms")
            eventually(
                lambda: any(entry.kind == "heartbeat" and entry.at == clock.now() for entry in job.timeline()),
                "the heartbeat is told",
            )
            [heartbeat] = [entry for entry in job.timeline() if entry.kind == "heartbeat"]
            assert (heartbeat.worker, heartbeat.fence) == ("alpha-worker-1-2", job.refresh().fence)
            busy.open()
            job.wait(timeout=PATIENCE)
        assert "heartbeat" not in kinds(job)


def test_a_retried_job(app: Windlass, clock: ManualClock) -> None:
    """A12: each failed attempt with its error and worker, then the next one."""
    job = app.tasks[1].options(attempts=2).enqueue()
    work(app, name="alpha", version="1", id="2")
    clock.advance("1m")
    work(app)
    failures = [entry for entry in job.timeline() if entry.kind == "attempt_failed"]
    first, second = (entry.detail for entry in failures)
    assert (first["attempt"], first["error"], second["attempt"]) == (1, "OSError: broken", 2)
    assert 0.9 <= first["next_in"] <= 1.1, "it waited for a second, give or take the jitter"
    assert "next_in" not in second
    assert failures[0].worker == "alpha-worker-1-2"
    assert kinds(job)[-1] == "failed"
    assert job.timeline()[-1].detail == {"reason": "attempts"}


def test_every_attempt_is_told_from_its_claim_to_its_end(app: Windlass, clock: ManualClock) -> None:
    """A12: each with fence, worker, length and the delay until the next, not only the last."""

    endings = iter((OSError("broken"), Snooze("5m"), None))

    @app.task(retry=Retry(attempts=3, base=60, jitter=0))
    def flaky() -> None:
        if error := next(endings):
            raise error

    job = flaky.enqueue()
    for name in ("alpha", "beta", "gamma"):
        work(app, name=name, lease=LONG_LEASE)
        clock.advance("5m")
        app.promote()
    told = [(entry.kind, entry.worker and entry.worker.split("-")[0]) for entry in job.timeline()]
    assert told == [
        ("created", None),
        *((kind, "alpha") for kind in ("claimed", "started", "attempt_failed")),
        *((kind, "beta") for kind in ("claimed", "started", "snoozed")),
        ("promoted", None),
        *((kind, "gamma") for kind in ("claimed", "started", "completed")),
    ]
    failed, snoozed = (entry for entry in job.timeline() if "next_in" in entry.detail)
    assert failed.detail["error"] == "OSError: broken"
    assert (failed.detail["attempt"], failed.detail["next_in"]) == (1, 60)
    assert (snoozed.detail["attempt"], snoozed.detail["next_in"]) == (2, 300)
    fences = [entry.fence or 0 for entry in job.timeline() if entry.kind == "claimed"]
    assert fences == sorted(fences)
    assert set(fences) == _fences(job, "claimed", "started", "attempt_failed", "snoozed", "completed")


def test_what_happens_in_one_millisecond_is_told_in_causal_order(app: Windlass) -> None:
    """A12: the clock stands still, and the story still reads from top to bottom."""
    job = app.enqueue("noop")
    [first] = app.claim(queues=["mail"])
    first.release()
    [second] = app.claim(queues=["mail"])
    second.fail("broken", delay=0)
    [third] = app.claim(queues=["mail"])
    job.cancel(by="ada")
    third.release()
    job.retry()
    assert [(entry.kind, entry.fence) for entry in job.timeline() if entry.fence] == [
        *((kind, first.fence) for kind in ("claimed", "started", "handed_back")),
        *((kind, second.fence) for kind in ("claimed", "started", "attempt_failed")),
        *((kind, third.fence) for kind in ("claimed", "started", "cancel_requested", "cancelled", "retried")),
    ]
    assert kinds(job)[0] == "created"
    assert kinds(job).index("promoted") == kinds(job).index("attempt_failed") + 1


def test_attempts_of_an_earlier_release_are_told_as_far_as_they_are_known(app: Windlass) -> None:
    """A12: its errors have no fence, and it kept no attempts."""
    job = app.tasks[1].options(attempts=1).enqueue()
    work(app)
    faults = [replace(fault, fence=None) for fault in job.errors]
    old = replace(job.record, attempts=None, errors=add_fault(None, faults[0]))
    told = timeline(old, JobHistory([], None))
    assert [entry.kind for entry in told] == ["created", "claimed", "started", "attempt_failed", "failed"]
    assert told[3].detail == {"attempt": 1, "error": "OSError: broken"}


def test_a_rescued_job_and_a_refused_write(app: Windlass, clock: ManualClock) -> None:
    """A12: from whom it was taken, by whom, and what was refused afterwards."""
    job = app.enqueue("noop")
    [claimed] = app.claim(queues=["mail"], lease="1m")
    clock.advance("2m")
    app.rescue()
    clock.advance("1s")
    with pytest.raises(LeaseLost):
        claimed.complete()
    rescued, refused = job.timeline()[-2:]
    assert (rescued.kind, rescued.fence, rescued.detail["started"]) == ("rescued", claimed.fence, True)
    assert rescued.detail["by"]
    assert rescued.worker
    assert (refused.kind, refused.fence) == ("refused", claimed.fence)


def test_each_claim_is_told_with_its_own_fence(app: Windlass, clock: ManualClock) -> None:
    """A12: a rescue raises the fence, which the claim before it did not have; the next claim has another one."""
    job = app.enqueue("noop")
    [lost] = app.claim(queues=["mail"], lease="1m")
    clock.advance("2m")
    app.rescue()
    assert _fences(job, "claimed", "started", "rescued") == {lost.fence}
    [again] = app.claim(queues=["mail"], lease="1m")  # within the same millisecond as the rescue
    assert again.fence > lost.fence
    assert _fences(job, "claimed", "started") == {lost.fence, again.fence}
    again.complete()
    assert _fences(job, "completed") == {again.fence}
    assert _fences(job, "rescued") == {lost.fence}


def test_the_end_of_a_job_by_rescue_has_the_fence_of_the_run_that_was_lost(app: Windlass, clock: ManualClock) -> None:
    """A12: the fence that the rescue made belongs to no run."""
    job = app.tasks[0].options(attempts=1).enqueue()
    [lost] = app.claim(queues=["mail"], lease="1m")
    clock.advance("2m")
    app.rescue()
    assert job.refresh().state is State.FAILED
    assert _fences(job, "claimed", "rescued", "failed") == {lost.fence}


def _fences(job: Job[Any], *kinds: str) -> set[int | None]:
    return {entry.fence for entry in job.timeline() if entry.kind in kinds}


def test_a_cancelled_job(app: Windlass) -> None:
    """A12: by whom and why."""
    job = app.enqueue("noop")
    job.cancel(by="ada", reason="wrong address")
    [entry] = [entry for entry in job.timeline() if entry.detail.get("by")]
    assert (entry.kind, entry.detail) == ("cancelled", {"by": "ada", "reason": "wrong address"})


def test_a_running_job_that_is_cancelled(app: Windlass) -> None:
    """A12: the request is told with worker and fence, and so is the end."""
    job = app.enqueue("noop")
    [claimed] = app.claim(queues=["mail"])
    job.cancel(by="ada")
    claimed.fail("stopped")
    [asked] = [entry for entry in job.timeline() if entry.kind == "cancel_requested"]
    assert (asked.fence, asked.detail) == (claimed.fence, {"by": "ada"})
    assert kinds(job)[-1] == "cancelled"
    assert job.refresh().state is State.CANCELLED


def test_a_job_retried_by_hand(app: Windlass, clock: ManualClock) -> None:
    """A12: by whom, and from where."""
    job = app.tasks[1].options(attempts=1).enqueue()
    work(app)
    clock.advance("1s")
    job.retry(by="ada")
    entry = job.timeline()[-1]
    assert (entry.kind, entry.detail) == ("retried", {"by": "ada", "from": "failed", "reason": "attempts"})


def test_entries_come_in_order(app: Windlass, clock: ManualClock) -> None:
    """A12: the whole story reads from top to bottom."""

    @app.task
    def flaky() -> None:
        clock.advance("1s")
        raise OSError

    job = flaky.options(delay="1m", attempts=1).enqueue()
    clock.advance("2m")
    work(app, lease=LONG_LEASE)
    clock.advance("1s")
    job.retry()
    clock.advance("1s")
    job.cancel()
    times = [entry.at for entry in job.timeline()]
    assert times == sorted(times)
    assert kinds(job)[0] == "created"
    assert kinds(job)[-1] == "cancelled"


def test_a_deleted_job_leaves_no_story_to_the_next_of_its_name(app: Windlass) -> None:
    """A12: events go with their job."""
    job = app.tasks[0].options(id="mine").enqueue()
    job.cancel()
    job.delete()
    assert kinds(app.tasks[0].options(id="mine").enqueue()) == ["created"]


@pytest.mark.asyncio
async def test_async_code_reads_timelines_too(app: Windlass) -> None:
    """A12: the same entries."""
    job = await app.aenqueue("noop")
    assert await job.atimeline() == job.timeline()
    assert await job.awhy() == job.why()
