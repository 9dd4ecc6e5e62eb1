"""Rates of tasks with workers that run: the duties let jobs go when there are tokens."""

from __future__ import annotations

import pytest

from tests.store.rate_bound import assert_within
from tests.waiting import PATIENCE, eventually
from windlass import IllegalTransition, State, Windlass
from windlass.core.rates.rate import read_rate


def test_jobs_without_tokens_come_to_their_turn(app: Windlass) -> None:
    """C6: on two workers, by the claims that the jobs keep, and jobs of other keys go on."""

    @app.task(rate="20/s", burst=2, rate_key=lambda account, **_: f"account-{account}")
    def charge(account: int, number: int) -> int:
        return number

    with app.worker(concurrency=8), app.worker(concurrency=8):
        jobs = charge.enqueue_many([(1, number) for number in range(12)])
        assert charge.enqueue(2, 7).result(timeout=PATIENCE) == 7
        for number, job in enumerate(jobs):
            assert job.result(timeout=PATIENCE) == number
    claims = [job.refresh().record.claimed_at for job in jobs]
    assert claims == sorted(claims, key=lambda at: at or 0), "in their order"
    assert_within(read_rate("20/s", 2), [at for at in claims if at is not None])


def test_a_job_that_waits_for_a_token_is_not_retried(app: Windlass) -> None:
    @app.task(rate="1/h")
    def sync() -> None: ...

    with app.worker():
        sync.enqueue().wait(timeout=PATIENCE)
        late = sync.enqueue()
        eventually(lambda: late.refresh().state is State.BLOCKED, "it waits for a token")
        with pytest.raises(IllegalTransition, match="blocked"):
            late.retry()
        late.cancel()
    assert late.refresh().state is State.CANCELLED
