"""Which deaths speak against a job."""

from __future__ import annotations

import pytest

from tests.core.test_decide import a_job
from windlass.core.suspect import evidence, has_to_run_alone, is_suspect


@pytest.mark.parametrize(
    ("crashes", "rescues", "deaths"), [(0, 0, 0), (1, 0, 1), (0, 1, 1), (0, 7, 1), (1, 1, 2), (2, 0, 2)]
)
def test_rescues_of_runs_that_had_not_begun_speak_once(crashes: int, rescues: int, deaths: int) -> None:
    """F3: the first of them may have begun without being marked, a suspect is marked before it begins."""
    job = a_job(crashes=crashes, rescues=rescues)
    assert evidence(job) == deaths
    assert (is_suspect(job), has_to_run_alone(job)) == (deaths > 0, deaths > 1)


def test_a_job_that_is_claimed_by_hand_is_no_suspect() -> None:
    """F3: whatever it did to workers, who holds it now has no process of ours."""
    job = a_job(crashes=2, rescues=3, is_charged=True)
    assert (is_suspect(job), has_to_run_alone(job)) == (False, False)
