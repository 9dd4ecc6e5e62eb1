"""Every claim raises the job's fence; a write under an old one changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from tests.ledger.apps import LONG_LEASE, Apps, await_first_beat, gate, work
from tests.waiting import PATIENCE, eventually
from windlass import ClaimedJob, LeaseLost, State, Windlass, current_job
from windlass.testing import ManualClock

VERBS: dict[str, Callable[[ClaimedJob], None]] = {
    "complete": lambda claimed: claimed.complete("late"),
    "fail": lambda claimed: claimed.fail("late"),
    "discard": lambda claimed: claimed.discard("late"),
    "release": lambda claimed: claimed.release(),
    "extend": lambda claimed: claimed.extend("1h"),
    "progress": lambda claimed: claimed.progress(0.5),
}


@pytest.fixture
def stale(app: Windlass, clock: ManualClock) -> ClaimedJob:
    """A claim whose time ran out and whose job somebody else has claimed since."""

    @app.task(name="noop")
    def noop() -> None: ...

    noop.enqueue()
    [old] = app.claim(lease="1m")
    clock.advance("2m")
    app.rescue()
    app.claim(lease="1m")
    return old


def test_every_claim_raises_the_fence(app: Windlass, clock: ManualClock) -> None:
    """A7: it only grows, through release, rescue, failure and retry by hand."""

    @app.task
    def noop() -> None: ...

    job = noop.enqueue()
    fences = [job.fence]

    def claim() -> ClaimedJob:
        [claimed] = app.claim(lease="1m")
        fences.append(claimed.fence)
        return claimed

    claim().release()
    claim()
    clock.advance("2m")
    claim().discard("broken")
    job.retry()
    claim().complete()
    assert fences == sorted(set(fences))
    assert job.refresh().fence == fences[-1]


def test_a_worker_shows_its_fence_to_the_task(app: Windlass) -> None:
    """A7: the task can guard its own writes with it."""

    @app.task
    def fence() -> int:
        return current_job().fence

    job = fence.enqueue()
    work(app)
    assert job.result() == job.refresh().fence > 0


@pytest.mark.parametrize("verb", VERBS)
def test_a_write_under_an_old_fence_changes_nothing(app: Windlass, stale: ClaimedJob, verb: str) -> None:
    """A7: the caller is told that the lease is lost; the job stays as it is."""
    before = stale.job.record
    with pytest.raises(LeaseLost, match=f"fence {stale.fence}"):
        VERBS[verb](stale)
    assert stale.job.record == before


@pytest.mark.parametrize("verb", VERBS)
def test_a_refused_write_is_told(app: Windlass, stale: ClaimedJob, verb: str) -> None:
    """A7: the timeline says who tried to write what under which fence."""
    with pytest.raises(LeaseLost):
        VERBS[verb](stale)
    [refused] = [entry for entry in stale.job.timeline() if entry.kind == "refused"]
    assert (refused.fence, refused.detail) == (stale.fence, {"write": verb})
    assert refused.worker


@pytest.mark.parametrize("verb", VERBS)
def test_a_write_after_the_rescue_is_refused_before_anybody_claims(
    app: Windlass, clock: ManualClock, verb: str
) -> None:
    """A7: the rescue alone makes the old fence worthless."""

    @app.task
    def noop() -> None: ...

    noop.enqueue()
    [old] = app.claim(lease="1m")
    clock.advance("2m")
    assert [rescued.state for rescued in app.rescue()] == [State.PENDING]
    before = old.job.record
    with pytest.raises(LeaseLost):
        VERBS[verb](old)
    assert old.job.record == before


def test_a_worker_that_was_declared_dead_cannot_end_its_job(app: Windlass, new_app: Apps, clock: ManualClock) -> None:
    """A7: its progress and its ending are refused, and the successor's result stands."""
    with gate() as stalled:
        outcome: list[str] = []

        @app.task(name="slow")
        def slow() -> str:
            stalled.wait()
            try:
                current_job().progress(0.9)
            except LeaseLost:
                outcome.append("told")
            return "zombie"

        successor = new_app()

        @successor.task(name="slow")
        def quick() -> str:
            return "successor"

        job = slow.enqueue()
        with app.worker(duties=False, name="zombie", version="1", id="1", lease="30s") as zombie:
            stalled.await_entered()
            await_first_beat(app)
            fence = app.job(job.id).fence
            clock.advance("31s")
            successor.rescue()
            work(successor, lease=LONG_LEASE)
            assert job.result(timeout=PATIENCE) == "successor"
            stalled.open()
            eventually(lambda: zombie.status().refused, "the zombie's ending is refused")
        assert outcome == ["told"]
        assert job.result() == "successor"
        refused = [entry for entry in job.timeline() if entry.kind == "refused"]
        assert {(entry.worker, entry.fence) for entry in refused} == {("zombie-worker-1-1", fence)}
        assert [entry.detail["write"] for entry in refused] == ["progress", "completed"]


def test_a_handle_with_an_invented_fence_is_refused(app: Windlass, clock: ManualClock) -> None:
    """A7: a fence that was never given out is as good as an old one."""
    clock.set(datetime(2026, 5, 1, tzinfo=UTC))

    @app.task
    def noop() -> None: ...

    noop.enqueue()
    [claimed] = app.claim()
    with pytest.raises(LeaseLost):
        app.lease(claimed.id, claimed.fence + 1).complete()
    claimed.complete()
    assert claimed.job.state is State.COMPLETED
