"""What a claim may not do any more, and handles that are rebuilt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.ledger.apps import Apps
from tests.ledger.manual_claims import VERBS, claimed, declare
from windlass import ClaimedJob, ConfigError, IllegalTransition, JobNotFound, LeaseLost, Windlass


@pytest.fixture(autouse=True)
def _tasks(app: Windlass) -> None:
    declare(app)


FINISHED: dict[str, Callable[[ClaimedJob], None]] = {
    "completed": lambda claimed: claimed.complete(),
    "failed": lambda claimed: claimed.discard("broken"),
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("ending", FINISHED)
def test_what_has_ended_cannot_be_ended_again(app: Windlass, verb: str, ending: str) -> None:
    """D1: IllegalTransition names the state, and nothing changes."""
    one = claimed(app)
    FINISHED[ending](one)
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
