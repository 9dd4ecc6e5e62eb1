"""A job that has to start in time, in a worker: it is looked at before user code begins."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from windlass import Windlass, clock
from windlass.core.decide import decide
from windlass.core.outcome import EXPIRED
from windlass.core.records import Claimed
from windlass.core.retry import Retry
from windlass.core.state import State
from windlass.worker.runs.attempt import AttemptRules
from windlass.worker.runs.run import Run

pytestmark = pytest.mark.only_on("sqlite")  # no store is asked

JOB = Claimed(
    1, "id", "task", "default", 0, '{"v":1,"args":[],"kwargs":{}}', None, 0, 4, 0, 0, 1, None, 0, False, None, None,
    None, None,
)  # fmt: skip


def begun(app: Windlass, *, expires_in: int | None, waited: float) -> Any:
    """What becomes of a run that waited so many seconds for its slot."""
    rules = AttemptRules(codec=app.client.codec, retry=Retry(), give_up_on=(), worker="w", now=clock.now)
    task = app.task(name="task")(lambda: None)
    job = replace(JOB, expires_in=expires_in)
    return rules.begin(Run(job, task, claimed=clock.monotonic() - waited, report=lambda *_: True))


@pytest.mark.parametrize(("expires_in", "waited"), [(1000, 1.0), (1000, 3600.0), (0, 0.0), (-5, 0.0)])
def test_what_waited_too_long_for_a_slot_is_not_started(app: Windlass, expires_in: int, waited: float) -> None:
    """A11: also if it was claimed in time."""
    assert begun(app, expires_in=expires_in, waited=waited) is EXPIRED


@pytest.mark.parametrize(("expires_in", "waited"), [(None, 1e6), (3_600_000, 1.0)])
def test_what_is_in_time_is_started(app: Windlass, expires_in: int | None, waited: float) -> None:
    assert begun(app, expires_in=expires_in, waited=waited) == ((), {})


@pytest.mark.parametrize("is_charged", [True, False])
def test_an_expired_job_is_cancelled_and_costs_nothing(is_charged: bool) -> None:
    """A11: a manual claim is refunded."""
    ending = decide(replace(JOB, is_charged=is_charged), EXPIRED, retry=Retry())
    assert (ending.state, ending.reason, ending.charge) == (State.CANCELLED, "expired", -int(is_charged))
