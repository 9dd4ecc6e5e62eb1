"""``drain``: runs what is ready."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from windlass.app import Windlass


def drain(app: Windlass) -> int:
    """Run the jobs of a test on this thread until none is ready, those that they enqueue included; how many runs there
    were. Only inside a block: a test must not run the jobs of the app's own store.

    Afterwards the first job that failed for good is raised as ``JobFailed``. What is due later by the block's clock
    stays: delayed and snoozed jobs, and retries. Move a ``ManualClock`` and drain again.

    >>> from windlass import RetryableError, Windlass, current_job
    >>> from windlass.testing import ManualClock, drain, manual
    >>> clock = ManualClock()
    >>> app = Windlass()
    >>> @app.task
    ... def flaky() -> str:
    ...     if current_job().attempt == 1:
    ...         raise RetryableError("not yet", delay="5m")
    ...     return "now"
    >>> with manual(app, clock=clock):
    ...     job = flaky.enqueue()
    ...     print(drain(app), job.refresh().state)
    ...     clock.advance("5m")
    ...     print(drain(app), job.result())
    1 retrying
    1 now
    """
    from windlass.client.job_result import value_of
    from windlass.core.records import JobRecord
    from windlass.core.state import State
    from windlass.store.operations import queries
    from windlass.testing.block import current_block
    from windlass.testing.runner import Runner

    client = current_block(app, "drain").open_client
    failed: list[str] = []

    def note_failure(job: JobRecord) -> None:
        if job.state is State.FAILED:
            failed.append(job.id)

    runs = Runner(client).run_ready(note_failure)
    if failed:
        [finished] = client.session.run(queries.awaited(failed[:1]))
        value_of(client, finished)
    return runs
