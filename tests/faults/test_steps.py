"""kill -9 around the record of a durable step."""

from __future__ import annotations

import pytest

from tests.faults.kill_points import STEPS
from tests.faults.process import Processes
from tests.places.raw_store import RawStore
from tests.waiting import PATIENCE
from windlass import Windlass


@pytest.mark.varied_on("sqlite")
@pytest.mark.parametrize(("moment", "run"), [("step returned", 3), ("step recorded", 1)], ids=STEPS)
def test_a_worker_may_die_around_the_record_of_a_step(
    app: Windlass, raw_store: RawStore, processes: Processes, moment: str, run: int
) -> None:
    """F4: before it the step runs again, for nothing is known of it; after it the step does not."""
    victim = processes.held(moment, lease="1h", grace=0)
    job = STEPS[moment].enqueue(app)
    victim.await_line("stepped")
    victim.await_line("reached")
    victim.kill()
    raw_store.expire_leases()
    processes.worker()
    assert job.result(timeout=PATIENCE) == run
    [step] = job.steps()
    assert (step.name, step.fence % 4096) == ("once", run)
