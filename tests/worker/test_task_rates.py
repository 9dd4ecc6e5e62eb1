"""Rates of tasks with workers that run: the duties let jobs go when there are tokens."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from tests.store.rate_bound import assert_within
from tests.waiting import PATIENCE, eventually
from windlass import IllegalTransition, State, Windlass
from windlass.core.rates.rate import read_rate


@pytest.mark.parametrize("workers", [1, 2])
def test_jobs_without_tokens_come_to_their_turn(app: Windlass, workers: int) -> None:
    """C6: by the claims that the jobs keep, and jobs of other keys go on.

    In their order: on one worker, for of two claims at the same moment either may be first.
    """

    @app.task(rate="20/s", burst=2, rate_key=lambda account, **_: f"account-{account}")
    def charge(account: int, number: int) -> int:
        return number

    with ExitStack() as stack:
        for _ in range(workers):
            stack.enter_context(app.worker(concurrency=8))
        jobs = charge.enqueue_many([(1, number) for number in range(12)])
        assert charge.enqueue(2, 7).result(timeout=PATIENCE) == 7
        for number, job in enumerate(jobs):
            assert job.result(timeout=PATIENCE) == number
    claims = [job.refresh().record.claimed_at or 0 for job in jobs]
    assert workers > 1 or claims == sorted(claims)
    assert_within(read_rate("20/s", 2), sorted(claims))


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
