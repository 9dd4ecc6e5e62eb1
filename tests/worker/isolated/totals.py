"""A callback that runs in a child. Its app stands on the store that the environment names: from there a child reads the
results of a group.
"""

from __future__ import annotations

import os

from windlass import ActiveJob, Results, RetryableError, Windlass

URL = "WINDLASS_TOTALS_URL"

app = Windlass(os.environ.get(URL, "sqlite:///:memory:"))


@app.task(name="double", isolation="process")
def double(number: int) -> int:
    return 2 * number


@app.task(name="total", isolation="process")
def total(results: Results, *, job: ActiveJob) -> tuple[int, list[int], list[int]]:
    """Reads all of them in a step, which its second run does not repeat, and some of them in each run."""
    process, numbers = job.step("read", lambda: (os.getpid(), list(results)))
    if job.attempt == 1:
        raise RetryableError("once more", delay=0)
    return process, numbers, results[-2:]
